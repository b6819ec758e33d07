// A phone: one client. It shows its own part of the room, and sends what its owner does.
import { connect, make, tidy } from "./link.js";
import { counterexample, histogram, plane } from "./chart.js";

const main = document.getElementById("main");
const token = location.pathname.split("/")[2];
const KEEP = `fedmm-class-${token}`;
const MARKS = { proved: "✓ proved", refuted: "✗ refuted", open: "? undecided", supported: "? undecided" };
let send = () => false;
let view = null;
let standing = null; // what is on the screen: its scene, and how it follows the view

const note = (...children) => make("p", { class: "small" }, ...children);
const trouble = make("p", { class: "warn", role: "alert" });

function say(message) {
  trouble.textContent = "";
  if (!send(message)) trouble.textContent = "No connection. Wait a moment, then try again.";
}

/** A field for a formula or a number, with no help from the keyboard that would spoil it. */
const field = (name, label, more = {}) => make("label", {}, label,
  make("input", { name, autocomplete: "off", autocapitalize: "off", autocorrect: "off", spellcheck: "false", maxlength: 80, ...more }));

const filled = (box, name) => box.querySelector(`[name=${name}]`).value.trim();

/** Throws until the chance comes, with this phone's own randomness. */
function throwing(game, chance, faces, hit) {
  const faced = make("p", { class: "faces", "aria-live": "polite" });
  const count = field(game, `Throws until ${game === "six" ? "a six" : "heads"}`, { inputmode: "numeric" });
  const button = make("button", { type: "button", onclick: () => {
    const seen = [];
    do {
      const u = crypto.getRandomValues(new Uint32Array(1))[0] / 2 ** 32;
      seen.push(u < chance ? hit : faces[Math.floor(((u - chance) / (1 - chance)) * faces.length)]);
    } while (seen.at(-1) !== hit && seen.length < 99);
    faced.textContent = seen.join(" ");
    count.querySelector("input").value = seen.length;
  } }, game === "six" ? "No die here? Throw mine" : "No coin here? Toss mine");
  return make("div", { class: "card" }, count, button, faced);
}

const TASKS = {
  data() {
    const six = throwing("six", 1 / 6, ["⚀", "⚁", "⚂", "⚃", "⚄"], "⚅");
    const heads = throwing("heads", 1 / 2, ["tails"], "heads");
    const kept = make("p", { class: "good" });
    const box = make("form", { onsubmit: (event) => {
      event.preventDefault();
      const [a, b] = ["six", "heads"].map((name) => Number(filled(box, name)));
      if (Number.isInteger(a) && Number.isInteger(b) && a > 0 && b > 0) say({ do: "data", six: a, heads: b });
      else trouble.textContent = "Write both numbers of throws: whole numbers from 1.";
    } }, six, heads, make("button", { class: "main" }, "Keep my numbers"), kept,
    note("The teacher's machine runs your client for you: it shows your numbers to nobody, and forgets them when the class ends. What you send later is seen, without a name."));
    return [box, () => {
      kept.textContent = view.data ? `Kept: ${view.data[0]} and ${view.data[1]} throws.` : "";
      box.querySelector("button.main").disabled = view.locked;
    }];
  },

  guess() {
    return [make("div"), () => {}];
  },

  talk() {
    return [make("div"), () => {}];
  },

  refute() {
    const lines = make("p", { class: "card" });
    const list = make("ol");
    const inputs = { "MM-1": ["z", "tau", "theta"], "MM-2": ["s", "theta"] };
    const forms = Object.entries(inputs).map(([kind, names]) => {
      const box = make("form", { class: "card", onsubmit: (event) => {
        event.preventDefault();
        const given = Object.fromEntries(names.map((name) => [name, filled(box, name)]));
        say({ do: "point", kind, z: "", tau: "", theta: "", s: "", ...given });
      } }, make("h2", {}, kind === "MM-1" ? "The surrogate lies below the loss" : "T(s) is not the lowest point"),
      make("div", { class: "row" }, ...names.map((name) => field(name, { tau: "τ", theta: "θ" }[name] ?? name, { placeholder: "1/2" }))),
      make("button", { class: "main" }, "It fails here"));
      return box;
    });
    return [make("div", {}, lines, ...forms, list), () => {
      lines.replaceChildren(...Object.entries(view.target).map(([name, text]) => make("code", { class: "line" }, `${name} = ${text}`)));
      list.replaceChildren(...view.blows.map((blow) => make("li", {},
        make("code", {}, Object.entries(blow.point).map(([name, text]) => `${name} = ${text}`).join(", ")), ": ",
        make("span", { class: blow.status === "refuted" ? "good" : "" }, blow.status === "waiting" ? "being computed …"
          : `${{ refuted: "it fails here!", holds: "it holds here.", open: "undecided." }[blow.status] ?? ""} ${blow.says}`))));
    }];
  },

  row() {
    const box = make("div");
    return [box, () => {
      if (!view.card) return box.replaceChildren(note("There are no rows in this class."));
      return box.replaceChildren(make("h2", {}, `${view.card.row} (${view.card.where})`),
        ...view.card.wordings.map(({ words, claim, status, says, right }, k) => make("div", { class: "card" }, make("p", {}, words),
          ...(claim === null ? [make("div", { class: "row" }, ...["holds", "fails"].map((text) => make("button", {
            onclick: () => say({ do: "claim", wording: k, claim: text }) }, `It ${text}`)))]
            : [make("p", { class: right ? "good" : right === false ? "warn" : "" }, `You: it ${claim}. `,
              status === "waiting" ? "Being checked …" : `${MARKS[status] ?? status}${says ? `: ${says}` : "."}`)]))));
    }];
  },

  theta() {
    const sent = make("p", { class: "good" });
    const mine = make("p");
    const picture = make("div");
    const box = make("form", { onsubmit: (event) => {
      event.preventDefault();
      say({ do: "theta", six: filled(box, "six"), heads: filled(box, "heads") });
    } }, mine, field("six", "θ of the six", { placeholder: "1/…" }), field("heads", "θ of heads", { placeholder: "1/…" }),
    make("button", { class: "main" }, "Send my θ's"), sent, picture);
    return [box, () => {
      mine.textContent = view.data ? `Your throws: ${view.data[0]} for the six, ${view.data[1]} for heads.` : "";
      sent.textContent = view.sent ? `Sent: ${view.sent.map((v) => tidy(v)).join(" and ")}. Look at the teacher's screen.` : "";
      picture.replaceChildren(...(view.best ? [plane({ games: view.games, dots: view.sent ? [view.sent] : [], best: view.best }),
        note("Your answer, and θ⋆, that of all throws together.")] : []));
    }];
  },

  idea() {
    const list = make("ol");
    const picture = make("div");
    const box = make("form", { onsubmit: (event) => {
      event.preventDefault();
      say({ do: "idea", send: filled(box, "send"), back: filled(box, "back") });
    } }, field("send", "I send, computed from my z:", { placeholder: "log(z)" }),
    field("back", "The server turns the average a into θ =", { placeholder: "exp(-a)" }),
    make("button", { class: "main" }, "Try it with the class"), list, picture);
    return [box, () => {
      list.replaceChildren(...view.ideas.map((idea) => make("li", {},
        make("code", {}, `${idea.send}  →  ${idea.back}`), ": ",
        make("span", { class: idea.lands ? "good" : "" }, idea.waiting ? "being weighed …"
          : idea.lands ? "it lands on θ⋆!" : idea.theta ? `θ = ${idea.theta.map((v) => tidy(v)).join(", ")}, it misses` : idea.says))));
      picture.replaceChildren(...(view.ideas.some((idea) => idea.theta)
        ? [plane({ games: view.games, ideas: view.ideas, best: view.best })] : []));
    }];
  },

  lines() {
    const verdict = make("div", { "aria-live": "polite" });
    const inputs = { phi: "φ(θ) =  phi", psi: "ψ(θ) =  psi", S_bar: "S̄(z, τ) =  S_bar, write theta for τ", T: "T(s) =" };
    let last = null;
    const keys = make("div", { class: "row" }, ...["theta", "z", "s", "log(", "sqrt(", "^", "-"].map((text) => make("button", {
      type: "button", onpointerdown: (event) => event.preventDefault(), onclick: () => {
        const at = last ?? box.querySelector("input");
        at.setRangeText(text, at.selectionStart, at.selectionEnd, "end");
        at.focus();
      } }, text)));
    const box = make("form", { onsubmit: (event) => {
      event.preventDefault();
      say({ do: "lines", ...Object.fromEntries(Object.keys(inputs).map((name) => [name, filled(box, name)])) });
    }, onfocusin: (event) => { if (event.target.matches("input[maxlength]")) last = event.target; } },
    ...Object.entries(inputs).map(([name, label]) => field(name, label, { class: "formula" })), keys,
    make("button", { class: "main" }, "Prove it, or break it"), verdict);
    let shown = "";
    return [box, () => {
      const found = view.attempt;
      box.querySelector("button.main").disabled = found?.status === "waiting";
      if (JSON.stringify(found) === shown) return; // a picture that is being dragged stays
      shown = JSON.stringify(found);
      verdict.replaceChildren(...(found ? judged(found) : []));
    }];
  },

  rounds() {
    const mine = make("p", { class: "big" });
    const where = make("p");
    const button = make("button", { onclick: () => say({ do: "switch", on: !view.on }) });
    return [make("div", {}, mine, where, button), () => {
      const run = view.run;
      mine.textContent = !run ? "The rounds have not begun." : !run.takes_part ? "You came after the start: wait for the next one."
        : run.t === 0 ? "You take part." : run.heard ? `Round ${run.t}: you were heard.` : `Round ${run.t}: you were not heard.`;
      where.textContent = run ? `The server's θ: ${run.theta.map((v) => tidy(v)).join(", ")}. Alone you would say ${run.alone ? run.alone.map((v) => tidy(v)).join(", ") : "nothing"}.` : "";
      button.textContent = view.on ? "Switch my phone off" : "Switch my phone on again";
    }];
  },
};

/** A verdict: what it is, the picture of what fails, and the rows. */
export function judged(found) {
  const heads = {
    waiting: ["p", "", "Being checked …"], unreadable: ["p", "warn", `This could not be read: ${found.says}`],
    proved: ["p", "good", "✓ Proved: this is a surrogate. It may run in the class's rounds."],
    refuted: ["p", "warn", "✗ Refuted: this is no surrogate. Here is where it fails."],
    open: ["p", "", "? Undecided: the machine found neither a proof nor a counterexample. That is not a mistake of yours."],
  };
  const [tag, kind, text] = heads[found.status];
  const rows = make("details", {}, make("summary", {}, "Each condition"), make("div", { class: "scroll" },
    make("table", {}, ...found.rows.map(([row, status, says]) => make("tr", {}, make("td", {}, row), make("td", {}, MARKS[status]), make("td", {}, says))))));
  const failing = found.rows.find(([row]) => row === found.picture?.row) ?? found.rows.find(([, status]) => status === found.status || (found.status === "open" && status === "supported"));
  return [make(tag, { class: kind }, text),
    ...(found.picture ? [counterexample(found.picture)] : []),
    ...(failing && found.status !== "proved" ? [note(`${failing[0]}: ${failing[2]}`)] : []),
    ...(found.rows.length ? [rows] : [])];
}

/** The question of the scene: locked by one touch and a second one that means it. */
function asking() {
  const box = make("div");
  let picked = null;
  return [box, function update() {
    const { question, guess, histogram: counts } = view;
    box.replaceChildren();
    if (!question) return;
    const locked = guess !== null;
    box.append(make("h2", {}, question.text));
    if (counts) {
      box.append(histogram(question.choices, counts), note(locked ? `Your guess: ${question.choices[guess]}.` : "You locked no guess."));
      if (view.answer) box.append(make("p", { class: "good" }, `✓ ${question.choices[view.answer.choice]}. ${view.answer.why}`));
      return;
    }
    box.append(make("div", { class: "stack" }, ...question.choices.map((choice, k) => make("button", {
      disabled: locked, "aria-pressed": String((locked ? guess : picked) === k), onclick: () => { picked = k; update(); } }, choice))),
    make("div", { class: "row" }, make("button", { class: "main", disabled: locked || picked === null,
      onclick: () => say({ do: "guess", choice: picked }) }, locked ? "Locked" : "Lock my guess")));
    if (locked) box.append(note("The guesses open when all are locked."));
  }];
}

function show(next, error) {
  view = next;
  if (error) trouble.textContent = error;
  if (standing?.scene !== view.scene) {
    trouble.textContent = error ?? "";
    const [box, follow] = TASKS[view.task]();
    const [question, ask] = asking();
    standing = { scene: view.scene, follow: () => { follow(); ask(); } };
    const late = view.throw_first ? TASKS.data() : null;
    const newcomer = late ? [make("p", { class: "warn" }, "First your own numbers: throw until a six, toss until heads."), late[0]] : [];
    main.replaceChildren(note(`Phone ${view.number + 1}, minute ${view.minute}`), make("h1", {}, view.title), trouble,
      ...newcomer, make("p", {}, view.text), question, box);
    if (late) {
      const inner = standing.follow;
      standing.follow = () => {
        inner();
        if (view.data === null) late[1]();
        else for (const part of newcomer) part.hidden = true;
      };
    }
  }
  standing.follow();
}

async function join() {
  const answer = await fetch("/api/join", { method: "POST", body: JSON.stringify({ token }) }).catch(() => null);
  const found = answer && answer.headers.get("content-type")?.includes("json") ? await answer.json() : null;
  if (!found?.secret) {
    main.replaceChildren(make("h1", {}, "Not in the room"), make("p", { class: "warn" }, found?.error ?? "The room does not answer."),
      make("button", { class: "main", onclick: enter }, "Try again"));
    return null;
  }
  try { localStorage.setItem(KEEP, found.secret); } catch { /* a private window keeps nothing: a reload joins anew */ }
  return found.secret;
}

async function enter() {
  let kept = null;
  try { kept = localStorage.getItem(KEEP); } catch { /* as above */ }
  const secret = kept ?? (await join());
  if (!secret) return;
  send = connect({ secret }, {
    show,
    lost: () => { trouble.textContent = "The connection is gone; it comes back by itself."; },
    refused: (code) => {
      localStorage.removeItem(KEEP);
      standing = null;
      if (code === 4001 && kept) return enter(); // the server does not know this phone any more
      main.replaceChildren(make("h1", {}, code === 4002 ? "Open elsewhere" : "Out of the room"),
        make("button", { class: "main", onclick: enter }, "Join again"));
      return undefined;
    },
  });
}

enter();
