// Python, SymPy and the checker in a worker: it says what it loads, then judges the models that it is sent, row by row.
import { loadPyodide } from "./pyodide.mjs";

const JUDGE = `
import json
from fedmm_edu.symbolic.hypotheses.typed import judge_typed

def judge(fields, tell):
    for found in judge_typed(json.loads(fields)):
        tell(json.dumps(found, ensure_ascii=False))
`;

/** What Python brings is loaded by Pyodide itself; archives are unpacked where Python looks for modules. */
async function load() {
  const { weights, wheels } = await (await fetch("files.json")).json();
  const total = Object.values(weights).reduce((sum, size) => sum + size, 0);
  const heavy = wheels.reduce((sum, name) => sum + weights[name], 0);
  let done = 0;
  const tell = (stage) => postMessage({ stage, done, total });
  tell("Python");
  const python = await loadPyodide();
  done = total - heavy;
  for (const name of wheels) {
    tell(name.split("-")[0].replace("_", "-").replace("python.zip", "SymPy and the checker"));
    const answer = await fetch(name);
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    python.unpackArchive(await answer.arrayBuffer(), name.endsWith(".whl") ? "wheel" : "zip", { extractDir: "/checker" });
    done += weights[name];
  }
  tell("starting SymPy");
  python.runPython("import sys; sys.path.insert(0, '/checker')");
  python.runPython(JUDGE);
  return python.globals.get("judge");
}

const judge = load();
judge.then(() => postMessage({ ready: true }), (error) => postMessage({ failed: String(error) }));

onmessage = async ({ data }) => {
  const check = await judge;
  try {
    check(JSON.stringify(data.fields), (found) => postMessage({ found: JSON.parse(found) }));
    postMessage({ done: true });
  } catch (error) {
    postMessage({ failed: String(error) });
  }
};
