"use strict";
const controls = document.querySelector(".controls");
const rows = [...document.querySelectorAll("details[data-verdict]")];
const filters = [...controls.querySelectorAll("[data-show]")];
const expand = controls.querySelector("[data-expand]");

function show(verdict) {
  for (const row of rows) row.hidden = verdict !== "all" && row.dataset.verdict !== verdict;
  for (const section of document.querySelectorAll("section.rows"))
    section.hidden = !section.querySelector("details[data-verdict]:not([hidden])");
  for (const button of filters) button.setAttribute("aria-pressed", String(button.dataset.show === verdict));
}

function openTarget() {
  const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!rows.includes(row)) return;
  if (row.hidden) show("all");
  row.open = true;
  row.scrollIntoView();
}

for (const button of filters) button.addEventListener("click", () => show(button.dataset.show));
expand.addEventListener("click", () => {
  const open = expand.getAttribute("aria-pressed") !== "true";
  expand.setAttribute("aria-pressed", String(open));
  for (const row of rows) row.open = open;
});
addEventListener("hashchange", openTarget);
// A table that scrolls can be reached by keyboard; whether it does is known when its row is open.
document.addEventListener("toggle", ({ target }) => {
  for (const table of target.querySelectorAll("table")) if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
}, true);
addEventListener("beforeprint", () => rows.forEach((row) => (row.open = true)));
controls.hidden = false;
openTarget();
