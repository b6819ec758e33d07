// The teacher's screen: the server. It leads through the scenes, and shows what the class may see.
import { connect, make, tidy } from "./link.js";
import { counterexample, histogram, path, plane } from "./chart.js";

const main = document.getElementById("main");
const secret = location.pathname.split("/")[2];
const trouble = make("p", { class: "warn", role: "alert" });
const stage = make("div");
const side = make("div");
const top = make("nav", { class: "top", "aria-label": "Scenes" });
const WORDS = { waiting: "being checked", proved: "✓ proved", refuted: "✗ refuted", open: "? undecided", unreadable: "not readable" };
let view = null;
let shownAttempt = null; // the phone whose counterexample the class looks at
let stageShows = "";
let V = false;

const send = connect({ teacher: secret }, {
  show, lost: () => { trouble.textContent = "The connection is gone; it comes back by itself."; },
  refused: () => main.replaceChildren(make("h1", {}, "This is not the teacher's address"), make("p", {},
    "Open the address that the terminal shows, on the machine that runs the class.")),
});

const button = (text, message, more = {}) => make("button", { onclick: () => { trouble.textContent = ""; send(message); }, ...more }, text);

const code = (lines) => make("code", {}, Object.entries(lines).map(([name, text]) => `${name} = ${text}`).join(",  "));

const STAGES = {
  data: () => [make("p", { class: "big" }, `${view.phones.filter(([, , ready]) => ready).length} of ${view.phones.length} have thrown.`),
    make("p", { class: "address" }, view.address), make("img", { class: "qr", src: `/teach/${secret}/qr.svg`, alt: "The code that phones scan to join" })],
  guess: () => [],
  talk: () => (view.at === 0 ? [make("p", { class: "address" }, view.address), make("img", { class: "qr", src: `/teach/${secret}/qr.svg`, alt: "The code that phones scan to join" })] : []),
  refute: () => [tabled(["the lines", "", "at", ""], view.blows.map((blow) => [code(blow.lines), blow.kind,
    Object.entries(blow.point).map(([name, text]) => `${name} = ${text}`).join(", "),
    blow.status === "refuted" ? `fails: ${blow.says}` : `${WORDS[blow.status] ?? blow.status} ${blow.says}`]))],
  row: () => [tabled(["row", "wording", "said: it holds", "verdict"], view.cards.map((one) => [one.row, one.words, `${one.holds} of ${one.said}`,
    `${WORDS[one.status] ?? one.status}${one.status === "refuted" ? `: ${one.says}` : ""}`]))],
  theta: () => [make("div", { class: "two" }, plane({ games: view.games, dots: view.thetas, mean: view.average, best: view.best }),
    make("p", { class: "says" }, averaged()))],
  idea: () => [make("div", { class: "two" }, plane({ games: view.games, mean: view.average, ideas: view.ideas, best: view.best }),
    make("div", { class: "scroll" }, make("table", {}, make("tr", {}, ...["", "each sends", "average a becomes", ""].map((head) => make("th", {}, head))),
      ...view.ideas.map((idea, k) => make("tr", {}, make("td", {}, String(k + 1)), make("td", {}, make("code", {}, idea.send)), make("td", {}, make("code", {}, idea.back)),
        make("td", { class: idea.lands ? "good" : "" }, idea.waiting ? "…" : idea.lands ? "lands!" : idea.theta ? "misses" : idea.says))))))],
  lines: () => [make("p", {}, "Runs next: ", code(view.lines)), make("div", { class: "two" }, attempts(), make("div", {}, ...pictured()))],
  rounds: () => (view.run?.started ? paths() : [make("p", { class: "says" }, "Runs: ", code(view.lines))]),
};

const tabled = (heads, rows) => make("div", { class: "scroll" }, make("table", {}, make("tr", {}, ...heads.map((head) => make("th", {}, head))),
  ...rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, cell))))));

function averaged() {
  if (!view.average) return "No answer yet.";
  const mean = view.average.map((v) => tidy(v)).join(" and ");
  if (!view.best) return `${view.thetas.length} answers; their average: ${mean}.`;
  const times = view.average.map((v, k) => `${tidy(v / view.best[k], 2)} times`).join(" and ");
  return `${view.thetas.length} answers; their average: ${mean}. θ⋆: ${view.best.map((v) => tidy(v)).join(" and ")}. The average is ${times} θ⋆.`;
}

function attempts() {
  const rows = view.attempts.map((found) => make("tr", {}, make("td", {}, code(found.lines)), make("td", {}, WORDS[found.status]), make("td", {},
    ...(found.status === "proved" ? [button("Run this", { do: "choose", phone: found.number })] : []),
    ...(found.status === "refuted" ? [make("button", { onclick: () => { shownAttempt = found.number; drawStage(); } }, "Show where")] : []))));
  return make("div", { class: "scroll" }, make("table", {}, ...rows));
}

function pictured() {
  const found = view.attempts.find((one) => one.number === shownAttempt && one.status === "refuted");
  if (!found) return [];
  const failing = found.rows.find(([row]) => row === found.picture?.row) ?? found.rows.find(([, status]) => status === "refuted");
  return [make("p", {}, code(found.lines)), ...(found.picture ? [counterexample(found.picture)] : []),
    make("p", { class: "small" }, `${failing[0]}: ${failing[2]}`)];
}

function paths() {
  const { trace, best } = view.run;
  const lost = trace.filter((row) => row.at(-1)).map((row) => row[0]);
  const last = trace.at(-1);
  const gap = [last[5], last[6]];
  const settings = [`γ = ${view.run.gamma}`, `p = ${view.run.p}`, view.run.bits ? `${view.run.bits} bits a number` : "64 bits a number",
    view.run.alpha ? `V with α = ${view.run.alpha}` : "no V"].join(", ");
  return [make("div", { class: "plots" }, ...view.games.map((game, g) =>
    path(trace.map((row) => row[1 + g]), best[g], lost, `θ for ${game.awaited} of the ${game.thrown}`))),
  make("p", { class: "says" }, `Round ${last[0]}: ${last[3]} of ${view.run.members} heard, ${last[4]} bits sent so far.`,
    lost.length ? ` V − Σ μᵢVᵢ = (${gap.map((v) => tidy(v)).join(", ")}), and nothing moves it.` : ""),
  make("p", {}, `${settings}. Runs: `, code(view.run.lines))];
}

function controls() {
  const found = [];
  if (view.opens && !view.is_open) {
    const waited = view.question ? ` (${view.answered} locked)` : "";
    found.push(button(view.opens + waited, { do: "open" }, { class: "main" }));
  }
  if (view.run) {
    const own = view.run.may_lose;
    const choice = make("input", { type: "checkbox", name: "V", onchange: (event) => { V = event.target.checked; } });
    choice.checked = V;
    found.push(button(view.run.started ? "Start anew" : "Start", { do: "start", V: V || own }, { class: view.run.started ? "" : "main" }));
    if (!own) found.push(make("label", { class: "tick" }, choice, " with V"));
    if (view.run.started) {
      found.push(button("One round", { do: "rounds", rounds: 1, lose: false }, { class: "main" }),
        button(`${view.run.rounds} rounds`, { do: "rounds", rounds: view.run.rounds, lose: false }));
      if (view.run.may_lose) found.push(button("One round, and lose V", { do: "rounds", rounds: 1, lose: true }));
    }
  }
  const next = view.scenes[view.at + 1];
  if (next) found.push(button(`Next: ${next[2]}`, { do: "go", scene: next[0] }));
  return make("div", { class: "row" }, ...found);
}

function aside() {
  const here = view.phones.filter(([, present]) => present).length;
  const remove = (number) => () => { if (confirm(`Send phone ${number + 1} away?`)) send({ do: "remove", phone: number }); };
  return [make("p", { class: "big" }, `${here} here`),
    make("ul", { class: "dots" }, ...view.phones.map(([number, present, ready, on]) => make("li", {}, make("button", {
      class: `${ready ? "ready" : ""} ${present ? "" : "away"}`, onclick: remove(number),
      "aria-label": `Phone ${number + 1}: ${present ? "here" : "away"}, ${ready ? "ready" : "not ready"}${on ? "" : ", switched off"}; send it away` },
    `${number + 1}${on ? "" : "⏻"}`)))),
    ...(view.task === "data" ? [] : [make("details", {}, make("summary", {}, "Join late"), make("p", { class: "address" }, view.address),
      make("img", { class: "qr", src: `/teach/${secret}/qr.svg`, alt: "The code that phones scan to join" }))]),
    make("div", { class: "row" }, button(view.door ? "Close the door" : "Open the door", { do: "door", open: !view.door }),
      make("a", { href: `/teach/${secret}/export`, download: "our-class.html" }, "Save what we did")),
    make("p", { class: "small" }, "Green: has answered. Dashed: away. The page that is saved holds no names and nobody's numbers.")];
}

/** The stage is drawn again only when what it shows has changed: a picture that is being dragged stays. */
function drawStage() {
  const key = JSON.stringify([view, shownAttempt, view.phones.length]);
  const still = JSON.stringify([view.scene, view.attempts, view.lines, shownAttempt]);
  if (view.task === "lines" ? still === stageShows : key === stageShows) return;
  stageShows = view.task === "lines" ? still : key;
  const question = view.question ? [make("h2", {}, view.question.text), ...(view.histogram ? [histogram(view.question.choices, view.histogram),
    ...(view.answer ? [make("p", { class: "good big" }, `✓ ${view.question.choices[view.answer.choice]}. ${view.answer.why}`)] : [])]
    : [make("p", { class: "big" }, `${view.answered} of ${view.phones.filter(([, here]) => here).length} have locked a guess.`)])] : [];
  const folded = view.run?.started && view.histogram ? [make("details", {}, make("summary", {}, "The guesses"), ...question)] : question;
  const open = Boolean(stage.querySelector("details[open]"));
  stage.replaceChildren(...STAGES[view.task](), ...folded);
  if (open) stage.querySelector("details")?.setAttribute("open", "");
}

function show(next, error) {
  if (view?.scene !== next.scene) {
    [V, shownAttempt, stageShows] = [false, null, ""];
    trouble.textContent = "";
  }
  const late = Boolean(side.querySelector("details[open]"));
  view = next;
  trouble.textContent = error || "";
  top.replaceChildren(...view.scenes.map(([key, minute, title]) => button(`${minute}′ ${title}`, { do: "go", scene: key }, { "aria-current": String(key === view.scene) })));
  const focused = document.activeElement?.textContent;
  if (!main.contains(stage)) main.replaceChildren(top, make("div", { class: "split" }, make("div", { id: "left" }), side));
  document.getElementById("left").replaceChildren(make("h1", {}, view.title), make("p", { class: "says" }, view.text), controls(), trouble, stage);
  drawStage();
  side.replaceChildren(...aside());
  if (late) side.querySelector("details")?.setAttribute("open", "");
  [...document.querySelectorAll("button")].find((one) => one.textContent === focused)?.focus();
}
