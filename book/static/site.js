// What the theme leaves out for readers without a mouse or without sight: names, and reach of what scrolls.
"use strict";
const WIDE = ".bd-article :is(mjx-container, table, pre, dt.sig), .cell_output, .ledger :is(.scroll, .statement, .body p)";

/** A formula, table or listing that is wider than its place scrolls inside itself, by keyboard, too. */
function reach() {
  for (const element of document.querySelectorAll(WIDE)) {
    const wide = element.scrollWidth > element.clientWidth + 1 || (element.parentElement?.clientWidth ?? Infinity) < element.scrollWidth;
    element.classList.toggle("too-wide", wide && element.clientWidth > 0);
    if (element.classList.contains("too-wide")) element.tabIndex = 0;
  }
}

/** The menu's arrows say which sections they open. */
function nameArrows() {
  for (const summary of document.querySelectorAll(".bd-sidebar summary:not([aria-label])")) {
    const entry = summary.closest("li")?.querySelector("a")?.textContent.trim() ?? "this entry";
    summary.setAttribute("aria-label", `pages under ${entry}`);
  }
}

/** Entries of the bibliography carry roles that accessibility software no longer knows: without them they are a list of text. */
function plainCitations() {
  for (const element of document.querySelectorAll(".citation-list, .citation-list [role]")) element.removeAttribute("role");
}

addEventListener("DOMContentLoaded", () => {
  nameArrows();
  plainCitations();
  const settle = () => Promise.resolve(window.MathJax?.startup?.promise).then(reach);
  addEventListener("load", settle);
  addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);
});
