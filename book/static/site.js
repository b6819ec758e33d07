// What the theme leaves out for readers without a mouse or without sight: names, and reach of what scrolls.
"use strict";
const WIDE = ".bd-article :is(.math, table, pre, dt.sig), .cell_output, .ledger :is(.scroll, li > div, .statement, .body p)";

/** A formula, table or listing that is wider than its place scrolls inside itself, by keyboard, too. */
function reach() {
  for (const element of document.querySelectorAll(WIDE)) {
    const rounding = element.tagName === "TABLE" ? 0 : 1;
    const wide = element.scrollWidth > element.clientWidth + rounding || (element.parentElement?.clientWidth ?? Infinity) < element.scrollWidth;
    element.classList.toggle("too-wide", wide && element.clientWidth > 0);
    if (element.classList.contains("too-wide")) element.tabIndex = 0;
  }
}

/** No line begins with the full stop after a formula, none ends with the bracket before one. */
function keepPunctuation() {
  for (const math of document.querySelectorAll("span.math:has(> math)")) {
    const [before, after] = [math.previousSibling, math.nextSibling];
    const opening = (before instanceof Text && /[([“]+$/.exec(before.data)?.[0]) || "";
    const closing = (after instanceof Text && /^[.,;:?!)\]”]+/.exec(after.data)?.[0]) || "";
    if (opening) together(math.querySelector("math")).prepend(before.splitText(before.length - opening.length));
    if (closing) {
      after.splitText(closing.length);
      together([...math.querySelectorAll("math")].at(-1)).append(after);
    }
  }
}

/** What holds a piece of a formula and its punctuation on one line. */
function together(piece) {
  if (piece.parentElement.className === "tight") return piece.parentElement;
  const held = document.createElement("span");
  held.className = "tight";
  piece.replaceWith(held);
  held.append(piece);
  return held;
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

/** Results of a search quote their pages; from a file no page may be asked for, and one script has the words of all. */
function quoteFromFiles() {
  const root = new URL(".", location.href).href;
  const known = new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = "_static/excerpts.js";
    script.onload = () => resolve(window.excerpts);
    script.onerror = () => resolve({});
    document.head.append(script);
  });
  window.fetch = async (address) => {
    const name = new URL(address, root).href.slice(root.length).replace(/\.html.*$/, "");
    const main = document.createElement("div");
    main.setAttribute("role", "main");
    main.textContent = (await known)[name] ?? "";
    return new Response(main.outerHTML);
  };
}
if (location.protocol === "file:" && document.getElementById("search-results")) quoteFromFiles();

addEventListener("DOMContentLoaded", () => {
  nameArrows();
  plainCitations();
  keepPunctuation();
  addEventListener("load", reach);
  addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);
});
