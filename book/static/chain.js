// The map of Theorem 1: a box under the pointer, or with the focus, lights up all that it rests on.
"use strict";
for (const map of document.querySelectorAll(".chain-map")) {
  const arrows = [...map.querySelectorAll("path[data-to]")];
  const below = (node, found = new Set()) => {
    for (const arrow of arrows)
      if (arrow.dataset.to === node && !found.has(arrow)) {
        found.add(arrow);
        below(arrow.dataset.from, found);
      }
    return found;
  };
  const show = (node) => {
    const lit = node ? below(node) : new Set();
    const nodes = new Set([node, ...[...lit].map((arrow) => arrow.dataset.from)]);
    map.classList.toggle("asked", Boolean(node));
    for (const arrow of arrows) arrow.classList.toggle("lit", lit.has(arrow));
    for (const box of map.querySelectorAll("a")) box.classList.toggle("lit", nodes.has(box.dataset.node));
  };
  for (const box of map.querySelectorAll("a")) {
    for (const event of ["pointerenter", "focus"]) box.addEventListener(event, () => show(box.dataset.node));
    for (const event of ["pointerleave", "blur"]) box.addEventListener(event, () => show(null));
  }
}
