"""Command lines that nobody means: each ends with a status and, where it is refused, with one line that says why."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from random import Random

from fedmm_edu.cli import main
from tests.campaigns.campaign import Try

NUMBERS = ("nan", "inf", "-inf", "-1", "0", "1e999999", "1e-300", "1e300", "x", "", " ", "1/0", "0x10", "½", "1_000",
           "--", "2**63",
           "99999999999999999999999", "1e400", "-0.0", "1,2", "\ud800", "\0", "%s", "3.5", "１", "True", "None", "0.5",
           "1", "2")  # fmt: skip
RANGES = ("1:2", "2:1", ":", "a:b", "1:9**9**9", "nan:1", "-oo:oo", "0:1e400", "1", "1:2:3", "\"\\160\"", "0:",
          "1:oo", "I:2", "M:0",
          "1:1", "1e-400:1", "(((((((:1", "x:y", "__import__:1", "\0:1", "1/0:2")  # fmt: skip
SETTINGS = ("rho=1", "rho", "=1", "rho=", "rho=nan", "nobody=1", "rho=1=2", "lambda=-1", "rho=1/0", "rho=9**9**9",
            "ρ=1", "rho=I",
            "rho=__import__('os')", "rho=\0", "rho=oo", "rho=" + "(" * 500)  # fmt: skip
MODELS = ("toy", "toy:", "toy:nothing", "nobody", "", ":", "quadratic", "quadratic:least squares, ridge",
          "poisson:printed, strategy 2",
          "{folder}", "{empty}", "{latin}", "{missing}", "{exits}", "{loops}", "{raises}", "{number}", "{json}",
          "{own}", "\0", "/dev/null")  # fmt: skip
NO_FAMILY = tuple("quadratic:none" if model == "quadratic" else model for model in MODELS)
"""To judge all eleven models of that example is good input, and half a minute's work."""
TABLES = (
    "{csv}",
    "{latin}",
    "{bom}",
    "{empty}",
    "{folder}",
    "{missing}",
    "{words}",
    "{ragged}",
    "{nans}",
    "{huge}",
    "/dev/null",
    "\0",
)
PLACES = ("{out}", "{empty}", "{empty}/under", "/proc/nowhere", "", "\0", "/dev/full", "{folder}")

OPTIONS = {
    "theorem": {
        **dict.fromkeys(("--samples", "--seed", "--batch", "--n", "--v-min", "--v-max", "--C-star", "--C-star-star",
        "--sup-h", "--L",
                         "--sigma", "--gap", "--variates", "--q", "--omega", "--bits", "--p", "--alpha", "--gamma",
                         "--rounds",
                         "--target", "--epsilon", "--delta", "--sensitivity", "--L-T", "--ell", "--h0",
                         "--start"), NUMBERS),
        "--S": RANGES, "--set": SETTINGS, "--data": TABLES, "--V0": ("zero", "mean_field", "one"), "--stream": None,
        "--json": None,
        "--compress": ("none", "randk:1", "randk:0", "randk:x", "uniform:99", "uniform:", "block:2", "zip",
        "randk:1:2", ""),
        "--constants": ("sharper", "printed", "own", "best"), "--figure": PLACES,
    },
    "constants": {"--S": RANGES, "--set": SETTINGS, "--json": None},
    "check": {"--json": None, "--certificates": PLACES},
    "federate": {
        **dict.fromkeys(("--nodes", "--rounds", "--attempts", "--timeout", "--faults", "--seed", "--tolerance"),
        NUMBERS),
        "--kill": ("1:4", "nobody:3", ":", "1:", "９:3", "1:²", "server:2"), "--wipe": None, "--anew": None,
        "--exact": None,
        "--app": PLACES,
        "--engine": ("memory", "memory", "processes", "simulation", "cluster"), "--out": PLACES,
    },
    "attack": {**dict.fromkeys(("--nodes", "--starts", "--seed"), NUMBERS), "--out": PLACES},
    "verify": {"--jobs": NUMBERS, "--time-limit": NUMBERS, "--json": PLACES, "--report": PLACES, "--list": None,
               "--ledger": ("tests.ledger.sample_ledger", "nobody", "os", "", "..", "\0")},
    "reproduce": {
        **dict.fromkeys(("--seeds", "--rounds", "--real-rounds", "--tuning", "--p", "--active", "--data-seed",
        "--rows", "--betas",
                         "--dimensions"), NUMBERS),
        "--data-dir": PLACES, "--real": ("movielens", "patches", "films"), "--split": ("balanced", "odd"),
        "--jobs": NUMBERS,
    },
    "certificate": {"--out": PLACES},
    "run": {},
}  # fmt: skip
SUBJECTS = {
    "theorem": (*MODELS, None, None), "constants": NO_FAMILY, "check": (*NO_FAMILY, *TABLES, None),
    "federate": ("regression", "dictionary", "nobody", "math:pi", "builtins:int", "os:", ":", "json:loads", "\0",
    None, None, "builtins:exit"),
    "attack": ("regression", "nobody", "math:pi", "os:", "\0", None),
    "verify": ("nobody", "square", "", "\0", "--mutants"), "reproduce": ("fig0", "", "fig1,fig2", "\0"),
    "certificate": ("show", "nothing", None), "run": ("nothing", "quadratic", None),
}  # fmt: skip
NEEDED = {  # what makes a run short, so that a try that is accepted ends
    "federate": ("--rounds", ("1", "3")), "attack": ("--rounds", ("0", "1", "2", "x")),
    "verify": ("--ledger", ("tests.ledger.sample_ledger", "nobody")),
    "theorem": ("--rounds", ("10",)), "reproduce": ("--jobs", ("0", "-1", "x", "nan")),
    "run": ("--rounds", ("0", "-1", "x", "nan")),
}  # fmt: skip
CHEAP = ("toy", "quadratic:least squares, ridge", "{own}", "nobody", "{missing}", None)

OWN = """
import sympy as sp
from fedmm_edu import Model
theta, s = sp.symbols("theta s", positive=True)
z = sp.Symbol("z", positive=True)
model = Model(theta=theta, z=z, s=s, loss=z*theta + 1/theta, psi=1/theta, phi=-theta, S_bar=z)
"""
FILES = {
    "csv": "z\n1\n2\n3\n", "bom": "\ufeffz\n1\n2\n", "words": "z\none\ntwo\n", "ragged": "z,y\n1\n1,2,3\n",
    "nans": "z\nnan\ninf\n",
    "huge": "z\n" + "1" * 400 + "\n", "empty": "", "exits": "import sys\nsys.exit(3)\n", "loops": "x = x\n",
    "raises": "raise RuntimeError('\\n\\n' + 'x' * 9000)\n", "number": "model = 3\n", "json": "[" * 3000, "own": OWN,
}  # fmt: skip


PYTHON = ("exits", "loops", "raises", "number", "own")


def tries(rng: Random) -> Iterator[Try]:
    """A command, a subject, and one to three options with values that are rarely right."""
    for module in ("sympy", "fedmm_edu.symbolic", "fedmm_edu.examples", "fedmm_edu.theory.from_model", "proofs_checks"):
        import_module(module)  # the time of a try is its own; and an import that is stopped halfway is no import
    while True:
        name = rng.choice(
            [*OPTIONS, "theorem", "theorem", "federate", "constants", rng.choice(["", "no", "--no", "-h", "\0"])]
        )
        line = [name] if name else []
        subjects = CHEAP if name == "theorem" and rng.random() < 0.6 else SUBJECTS.get(name, (None,))
        subject = rng.choice(subjects)
        line += [subject] if subject is not None else []
        options = OPTIONS.get(name, {})
        for option in rng.sample(sorted(options), min(len(options), rng.randint(0, 3))):
            values = options[option]
            line += (
                [option]
                if values is None
                else rng.choice([[option, v] for v in values] + [[f"{option}={v}"] for v in values])
            )
        if name in NEEDED and NEEDED[name][0] not in line:
            line += [NEEDED[name][0], rng.choice(NEEDED[name][1])]
        if rng.random() < 0.03:
            line.append(rng.choice(["--nothing", "\ud800", "-", "--S", "--json=3"]))
        state = rng.choice(["open"] * 12 + ["closed", "full"])
        yield Try(f"fedmm {line} ({state})", lambda line=line, state=state: _call(line, state))


def _call(line: list[str], state: str) -> str | None:
    """Run it in a folder of its own."""
    before = Path.cwd(), list(sys.path)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for name, text in FILES.items():
            (home / f"{name}.{'py' if name in PYTHON else 'csv'}").write_text(text, "utf-8")
        (home / "latin.csv").write_bytes("größe\n1\n2\n".encode("latin-1"))
        names = {path.stem: str(path) for path in home.iterdir()}
        names |= {"folder": folder, "missing": f"{folder}/no", "out": f"{folder}/out"}
        line = [re.sub(r"{(\w+)}", lambda m: names[m[1]], word) for word in line]
        os.chdir(folder)
        try:
            return _judged(line, state, home)
        finally:
            os.chdir(before[0])
            sys.path[:] = before[1]


def _judged(line: list[str], state: str, home: Path) -> str | None:
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    sink = home / "stdout"
    with contextlib.ExitStack() as stack:
        out = stack.enter_context(open("/dev/full" if state == "full" else sink, "w", encoding="ascii"))
        if state == "closed":
            out.close()
        saved = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = out, err
        try:
            status = main(line)
        except SystemExit as exit_:  # argparse
            status = exit_.code
        finally:
            sys.stdout, sys.stderr = saved
            with contextlib.suppress(OSError, ValueError):
                out.close()
            with contextlib.suppress(OSError, ValueError):
                stack.pop_all()
    err.flush()
    said = err.buffer.getvalue().decode("utf-8", "replace")
    if status not in (0, 1, 2, 141):
        return f"status {status!r}: {said[-200:]!r}"
    if "Traceback" in said or "Warning" in said:
        return f"a traceback or a warning: {said[-300:]!r}"
    last = said.splitlines()[-1] if said.strip() else ""
    if status == 2 and not (re.match(r"fedmm[ \w]*: .", last) and len(last) < 5000 and said.count("\nfedmm:") <= 1):
        return f"status 2 without one line that says why: {said[-300:]!r}"
    return None
