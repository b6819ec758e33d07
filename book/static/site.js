// What theme and widgets leave out for readers without a mouse or without sight: names, and reach of what scrolls.
"use strict";
const WIDE = ".bd-article mjx-container, .bd-article table, .bd-article pre, .cell_output, .ledger :is(.scroll, .statement, .body p)";

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

/** A notebook's widget without its kernel is a picture: its controls are hidden by style, the picture gets its words. */
function describeWidgets(root) {
  for (const image of root.querySelectorAll("img.widget-image:not([alt])"))
    image.alt = "The figure of this cell at its first setting; its sliders move in a running notebook.";
}

addEventListener("DOMContentLoaded", () => {
  if (window.MathJax) window.MathJax.Hub ??= { Queue() {} }; // the widgets' script asks for MathJax 2
  nameArrows();
  plainCitations();
  describeWidgets(document);
  new MutationObserver(() => describeWidgets(document)).observe(document.body, { childList: true, subtree: true });
  const settle = () => Promise.resolve(window.MathJax?.startup?.promise).then(reach);
  addEventListener("load", settle);
  addEventListener("resize", reach);
  document.addEventListener("toggle", reach, true);
});
