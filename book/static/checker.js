// The page of the checker: what is typed goes to a worker, which is loaded on demand; what it finds is shown row by row.
"use strict";
(() => {
  const home = document.getElementById("checker");
  const form = home.querySelector("form");
  const load = form.elements.load, stop = form.elements.stop, check = form.querySelector("[type=submit]");
  const examples = home.querySelector("select"), fields = [...form.querySelectorAll("textarea")];
  const says = document.getElementById("checker-says"), progress = home.querySelector("progress");
  const verdicts = home.querySelector("section"), rows = home.querySelector(".rows"), sum = home.querySelector(".sum");
  const folder = new URL("checker/", location.href).href;
  let worker = null, waiting = null, ready = false, ends = 0;

  const tell = (text) => (says.textContent = text);
  const made = (tag, text, name = "") => Object.assign(document.createElement(tag), { textContent: text, className: name });

  function start() {
    ready = false;
    load.disabled = true;
    stop.disabled = progress.hidden = false;
    worker = new Worker(`${folder}worker.mjs`, { type: "module" });
    worker.onerror = (event) => failed(event.message || "the browser cannot start it");
    worker.onmessage = ({ data }) => {
      if ("stage" in data) {
        progress.value = data.done / data.total;
        tell(`Loading ${data.stage}: ${Math.round(data.done / 1e6)} of ${Math.round(data.total / 1e6)} MB so far …`);
      } else if (data.ready) {
        ready = true;
        idle("The checker is ready.");
        if (waiting) send(waiting);
      } else if (data.found) show(data.found);
      else if (data.done) idle(`Done, after ${((performance.now() - ends) / 1000).toFixed(1)} seconds.`);
      else if (data.failed) failed(data.failed);
    };
  }

  function idle(text) {
    progress.hidden = stop.disabled = true;
    check.disabled = false;
    tell(text);
  }

  function failed(reason) {
    worker?.terminate();
    worker = waiting = null;
    idle(`The checker failed: ${String(reason).trim().split("\n").at(-1)}`);
    check.disabled = true;
    load.disabled = false;
  }

  function send(model) {
    waiting = null;
    ends = performance.now();
    check.disabled = true;
    stop.disabled = progress.hidden = false;
    progress.removeAttribute("value");
    rows.replaceChildren();
    sum.textContent = "";
    verdicts.hidden = false;
    tell("Judging the first hypothesis …");
    worker.postMessage({ fields: model });
  }

  function show(found) {
    if ("error" in found) sum.textContent = found.error;
    else if ("conclusion" in found) {
      sum.textContent = `This model: ${found.conclusion}`;
      tell("Looking for what to do next …");
    } else if ("next" in found) {
      const row = [...rows.children].find((item) => item.dataset.row === found.row);
      row.insertBefore(made("p", `What to do next: ${found.next}`, "next"), row.querySelector("details"));
    } else {
      rows.append(judged(found));
      tell(`${found.row} is ${found.status}; judging the next hypothesis …`);
    }
  }

  function judged(found) {
    const row = made("li", "");
    row.dataset.row = found.row;
    const head = made("p", "");
    head.append(made("b", found.row), " ", made("span", found.status, `verdict ${found.status}`), " ", made("span", found.method, "small"));
    row.append(head);
    if (found.finding) row.append(made("p", found.finding, "finding"));
    if (found.steps.length) {
      const evidence = made("details", ""), list = made("ul", "");
      evidence.append(made("summary", `How we know: ${found.row}`), list);
      for (const [claim, why] of found.steps) list.append(made("li", `${claim}: ${why}`));
      row.append(evidence);
    }
    return row;
  }

  async function offer() {
    const offered = await (await fetch(`${folder}examples.json`)).json();
    examples.replaceChildren(new Option("choose one", ""));
    for (const kind of ["right", "wrong"]) {
      const group = Object.assign(document.createElement("optgroup"), { label: kind });
      offered.forEach((example, k) => example.kind === kind && group.append(new Option(example.name, k)));
      examples.append(group);
    }
    examples.disabled = false;
    examples.onchange = () => {
      const example = offered[examples.value];
      if (example) for (const field of fields) fill(field, example.fields[field.name] ?? "");
    };
  }

  function fill(field, text) {
    field.value = text;
    field.style.height = "auto";
    field.style.height = `${field.scrollHeight + 2}px`;
  }

  load.onclick = () => {
    start();
    offer().catch((error) => failed(error));
  };
  stop.onclick = () => {
    worker?.terminate();
    worker = waiting = null;
    idle(ready ? "Stopped. The rows above stay; the next check starts the checker again." : "Stopped.");
    check.disabled = !ready;
    load.disabled = ready;
  };
  form.onsubmit = (event) => {
    event.preventDefault();
    const model = Object.fromEntries(fields.map((field) => [field.name, field.value]));
    if (worker && ready) return send(model);
    waiting = model;
    check.disabled = true;
    start();
  };
  for (const field of fields) field.oninput = () => fill(field, field.value);
  if (location.protocol === "file:") {
    tell("From a file, a browser starts no checker: run “python -m http.server” in the site’s folder, and open http://127.0.0.1:8000/checker.html.");
  } else if (!window.Worker || !window.WebAssembly) tell("This browser has no web workers or no WebAssembly: the checker needs both.");
  else {
    load.disabled = false;
    tell("Nothing is loaded yet.");
  }
})();
