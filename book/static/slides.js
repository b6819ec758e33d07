// A lesson as slides: the same page, one picture at a time, with its figures alive; what is said between them are notes.
"use strict";

/**
 * Which slide each part of a lesson is on, and whether it is shown or is a note. A part is {kind, strong, long}, its kind
 * "head", "figure" (what one looks at: a picture, a question, an exercise, a table), "list" (a formula, too), "text", "aside" or "code".
 * A heading begins a slide, and so does a figure, with the text that leads to it, where there is one already. Beside a
 * figure only text with something in bold and what leads to figure or list is shown; without one, all text is.
 */
function divide(parts) {
  let [slide, full] = [-1, false];
  const places = parts.map(({ kind, strong, long }, k) => {
    const next = parts[k + 1]?.kind;
    const leads = kind === "text" && (next === "list" || (next === "figure" && !long));
    const head = kind === "head" && parts[k - 1]?.kind !== "head";
    if (head || slide < 0 || (full && (kind === "figure" || (leads && next === "figure")))) {
      slide += 1;
      full = false;
    }
    full ||= kind === "figure";
    return { slide, note: kind === "code" || kind === "aside" || (kind === "text" && !strong && !leads) };
  });
  const looked = new Set(places.filter((_, k) => parts[k].kind === "figure").map((place) => place.slide));
  return places.map((place, k) => ({ ...place, note: place.note && (looked.has(place.slide) || parts[k].kind !== "text") }));
}

/** The parts of an article in their order, sections opened. */
function partsOf(section) {
  return [...section.children].flatMap((child) => (child.tagName === "SECTION" ? partsOf(child) : child.matches("span.target, script") ? [] : [child]));
}

function described(element) {
  if (/^H[1-6]$/.test(element.tagName)) return { kind: "head" };
  if (element.matches(".solution, .to-slides, .launch")) return { kind: "list" }; // it stays where it is
  if (element.matches(".cell") && !element.querySelector(".cell_output")) return { kind: "code" };
  if (element.matches(".cell, .admonition, table, .pst-scrollable-table-container, figure")) return { kind: "figure" };
  if (element.matches("ul, ol, blockquote, dl, div.math")) return { kind: "list" };
  const text = element.textContent.trim();
  if (text.startsWith("For a class.")) return { kind: "figure" };
  return { kind: text.startsWith("(") ? "aside" : "text", strong: Boolean(element.querySelector("strong")), long: text.length > 240 };
}

/** The mode: its bar, its keys, what it remembers of the page's place. */
function slides(article) {
  const parts = partsOf(article);
  const places = divide(parts.map(described));
  const count = places.at(-1).slide + 1;
  parts.forEach((part, k) => {
    part.dataset.slide = places[k].slide;
    part.classList.toggle("note", places[k].note);
  });
  const root = document.documentElement;
  const where = Object.assign(document.createElement("output"), { className: "where" });
  const bar = document.createElement("div");
  bar.className = "slides-bar";
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", "Slides");
  const button = (text, says, act) => {
    const made = Object.assign(document.createElement("button"), { type: "button", textContent: text, title: says });
    made.setAttribute("aria-label", says);
    made.addEventListener("click", act);
    bar.append(made);
    return made;
  };
  let at = 0;

  const go = (to) => {
    at = Math.min(Math.max(to, 0), count - 1);
    const title = parts.findLast((part, k) => places[k].slide <= at && /^H[12]$/.test(part.tagName));
    for (const part of parts) part.classList.toggle("on", Number(part.dataset.slide) === at || part === title);
    where.textContent = `${at + 1} / ${count}`;
    history.replaceState(null, "", `?slides=${at + 1}`);
    scrollTo(0, 0);
    dispatchEvent(new Event("resize")); // figures take the width that they now have
  };
  const toggle = (name) => root.classList.toggle(name);
  const leave = () => {
    root.classList.remove("slides", "slides-notes", "slides-code");
    bar.remove();
    removeEventListener("keydown", keys);
    history.replaceState(null, "", location.pathname);
    dispatchEvent(new Event("resize"));
    parts.find((part) => Number(part.dataset.slide) === at)?.scrollIntoView();
  };
  const acts = { ArrowRight: () => go(at + 1), PageDown: () => go(at + 1), ArrowLeft: () => go(at - 1), PageUp: () => go(at - 1),
    Home: () => go(0), End: () => go(count - 1), n: () => toggle("slides-notes"), c: () => toggle("slides-code"), Escape: leave };
  const keys = (event) => {
    const busy = event.target.closest?.("input, select, textarea, [role=slider], .too-wide");
    if (busy || event.ctrlKey || event.metaKey || event.altKey || !(event.key in acts)) return;
    event.preventDefault();
    acts[event.key]();
  };

  button("‹", "Back (left arrow)", () => go(at - 1));
  bar.append(where);
  button("›", "On (right arrow)", () => go(at + 1));
  button("Notes", "What is said here (n)", () => toggle("slides-notes"));
  button("Code", "The code of this slide (c)", () => toggle("slides-code"));
  button("Leave", "The page again (Escape)", leave);
  root.classList.add("slides");
  document.body.append(bar);
  addEventListener("keydown", keys);
  return go;
}

if (typeof document !== "undefined") addEventListener("DOMContentLoaded", () => {
  const article = document.querySelector("article.bd-article > section");
  if (!article || !/\/lessons\/[^/]+$/.test(location.pathname)) return;
  const open = Object.assign(document.createElement("button"), { type: "button", textContent: "Show as slides", className: "to-slides" });
  open.addEventListener("click", () => slides(article)(0));
  article.querySelector("h1").after(open);
  const asked = new URLSearchParams(location.search).get("slides");
  if (asked !== null) addEventListener("load", () => slides(article)((Number(asked) || 1) - 1));
});
