// Exercises answered on a page without a kernel: what `exercise.py` made, compared with what the reader gives.

import { each, fresh, make, tick } from "./ask.js";

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const FRACTION = /^([+-]?\d+)\/(\d+)$/;

/** One number as it is written, 0.5 or 1/2; NaN for anything else. */
export function read(text) {
  const plain = text.replaceAll(" ", "").replaceAll("−", "-");
  const parts = FRACTION.exec(plain);
  if (parts && Number(parts[2])) return Number(parts[1]) / Number(parts[2]);
  return NUMBER.test(plain) ? Number(plain) : NaN;
}

const size = (x) => Math.hypot(...x);
const near = (x, wanted, tolerance) =>
  size(x.map((value, k) => value - wanted[k])) <= tolerance * Math.max(size(wanted), 1e-9);
const fits = (rule, x, tolerance) =>
  rule.between ? rule.between[0] < x[0] && x[0] < rule.between[1] : near(x, rule.value, tolerance);

/** [right, what is said] to numbers, as they are typed. */
export function gradeNumbers(sheet, typed) {
  const x = typed.map((each) => read(String(each)));
  if (fits(sheet.right, x, sheet.tolerance)) return [true, sheet.why];
  const slip = sheet.slips.find((each) => fits(each, x, sheet.tolerance));
  if (slip) return [false, slip.says];
  if (sheet.nearly && near(x, sheet.right.value, 10 * sheet.tolerance)) return [false, sheet.nearly];
  return [false, sheet.nudge];
}

/** [right, what is said] to a choice: the places of what was chosen, as in the table. */
export function gradeChoice(sheet, picked) {
  const base = sheet.kind === "set" ? 2 : sheet.among.length;
  return sheet.says[sheet.table[picked.reduce((sum, digit) => sum * base + digit, 0)]];
}

function numbersForm(sheet) {
  const id = fresh();
  const input = make("input", { type: "text", id, autocomplete: "off", size: sheet.count > 1 ? 28 : 14 });
  const hint = sheet.count > 1 ? `${sheet.count} numbers, with spaces between` : "a number such as 0.25 or 1/4";
  return {
    parts: [make("label", { for: id }, "Your answer: "), input, make("small", {}, ` ${hint} `)],
    grade() {
      const typed = sheet.count > 1 ? input.value.split(/[\s,;()[\]]+/).filter(Boolean) : [input.value];
      if (typed.length !== sheet.count || !typed.map(read).every(Number.isFinite))
        return [false, `Give ${hint}. Wanted: ${sheet.asks}.`];
      return gradeNumbers(sheet, typed);
    },
  };
}

function choiceForm(sheet) {
  const group = fresh();
  if (sheet.kind === "slots") {
    const menus = sheet.slots.map((slot) => {
      const menu = make("select", { "aria-label": slot });
      menu.append(...sheet.among.map((each, k) => make("option", { value: k }, each)));
      return menu;
    });
    const labels = menus.map((menu, k) => make("label", {}, `${sheet.slots[k]}: `, menu));
    return { parts: [make("div", { class: "choices" }, ...labels)],
      grade: () => gradeChoice(sheet, menus.map((menu) => Number(menu.value))) };
  }
  const type = sheet.kind === "set" ? "checkbox" : "radio";
  const labels = sheet.among.map((each, k) => tick(type, group, k, each));
  const boxes = labels.map((label) => label.firstChild);
  return {
    parts: [make("div", { class: "choices" }, ...labels)],
    grade() {
      if (sheet.kind === "set") return gradeChoice(sheet, boxes.map((box) => Number(box.checked)));
      const chosen = boxes.findIndex((box) => box.checked);
      return chosen < 0 ? [false, `Choose one. Wanted: ${sheet.asks}.`] : gradeChoice(sheet, [chosen]);
    },
  };
}

function render(el, sheet) {
  const { parts, grade } = sheet.kind === "numbers" ? numbersForm(sheet) : choiceForm(sheet);
  const says = make("p", { class: "says", "aria-live": "polite" });
  const check = make("button", { type: "submit" }, "Check");
  const legend = make("legend", {}, "Answer here, without a kernel");
  const form = make("form", { novalidate: "" }, make("fieldset", {}, legend, ...parts, check), says);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [right, words] = grade();
    says.textContent = `${right ? "✓ Right. " : "✗ Not yet. "}${words}`;
    el.dataset.right = right;
  });
  el.append(form);
}

export const mountAll = () => each("sheet", render);
