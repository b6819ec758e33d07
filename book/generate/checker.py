"""The checker on a page: what a browser needs to run it, and the page where a model is typed.

Python in WebAssembly, python-flint for it, SymPy and the checker itself lie in `checker/` of the site. Nothing of that
is asked for before the reader presses a button, and nothing from elsewhere.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import zipfile
from html import escape
from pathlib import Path

from book.generate.tree import BOOK, ROOT, Tree
from book.generate.vendor import FLINT, MPMATH, PYODIDE, SYMPY, Package, fetch
from fedmm_edu.errors import InvalidInput
from fedmm_edu.examples.toy import model as toy
from fedmm_edu.symbolic.hypotheses.typed import OPTIONAL, TYPED_FIELDS, as_typed
from tests.literature import ENTRIES
from tests.literature.record import conclusion, read

ROOMS = ("symbolic", "proofs", "text", "errors.py", "lazy.py", "__init__.py", "__init__.pyi")
"""What of `fedmm_edu` a check is made with."""
UNUSED = re.compile(r"/(tests|benchmarks)/")
"""What of SymPy no check imports; the rest it may import late."""
TITLE = "Check a surrogate in your browser"
"""The page, by which lessons name it."""
EPOCH = (1980, 1, 1, 0, 0, 0)
SECONDS = 6.0
"""Models that take longer, solvers included, are no examples: a browser takes some times as long."""
HINTS = {
    "theta": ("θ", "names of the parameter’s coordinates"),
    "z": ("Z", "names of what one sample consists of"),
    "s": ("s", "names of the surrogate’s coordinates, as many as φ has entries"),
    "loss": ("ℓ(Z, θ)", "the loss"),
    "psi": ("ψ(θ)", "empty: 0"),
    "g": ("g(θ)", "empty: 0"),
    "phi": ("φ(θ)", "an entry for each coordinate of s"),
    "S_bar": ("S̄(Z, τ)", "write θ for τ; an entry for each coordinate of s"),
    "T": ("T(s)", "empty: derived where possible"),
    "Theta": ("Θ", "relations on θ; empty: everything"),
    "S": ("𝒮", "relations on s; empty: everything"),
    "Z": ("𝒵", "relations on samples; empty: everything"),
    "given": ("constants", "relations on constants, as rho > 0"),
}


def add_checker(tree: Tree) -> None:
    """The page, and beside the site's pages the folder that it loads on demand."""
    files = checker_files()
    for name, data in files.items():
        tree.write(f"extra/checker/{name}", data)
    whole = megabytes(sum(map(len, files.values())))
    sent = megabytes(sum(sent_bytes(name, data) for name, data in files.items()))
    count = len(json.loads(files["examples.json"]))
    page = (BOOK / "checker.md").read_text(encoding="utf-8")
    tree.write("checker.md", page.format(title=TITLE, form=checker_form(), whole=whole, sent=sent, examples=count))


def checker_files() -> dict[str, bytes]:
    """The files of the folder, by their names."""
    files = {file.name: file.read_bytes() for package in (PYODIDE, FLINT) for file in _kept(package)}
    files["python.zip"] = _python()
    files["examples.json"] = json.dumps(ready_examples(), ensure_ascii=False, indent=0).encode()
    files["worker.mjs"] = (BOOK / "checker" / "worker.mjs").read_bytes()
    weights = {name: len(data) for name, data in files.items()}
    files["files.json"] = json.dumps({"weights": weights, "wheels": [*FLINT.files, "python.zip"]}).encode()
    return files


def ready_examples() -> list[dict[str, object]]:
    """Surrogates of the literature, right and wrong, that can be typed and are judged soon; the toy before them."""
    right, wrong = toy.models()["toy"], toy.wrong_models()["T without the root"][1]
    found = [_example("The toy of Remark 1", "right", right), _example("The toy with a wrong T", "wrong", wrong)]
    for name, entry in read().items():
        says = conclusion(entry)
        if entry.seconds <= SECONDS and (entry.breaks or says == "proved"):
            try:
                found.append(_example(name, "wrong" if entry.breaks else "right", ENTRIES[name].model))
            except InvalidInput:  # cases, which cannot be typed
                continue
    return found


def _example(name: str, kind: str, model) -> dict[str, object]:
    return {"name": name, "kind": kind, "fields": as_typed(model)}


def _kept(package: Package) -> list[Path]:
    return [file for file in sorted(fetch(package).iterdir()) if file.name != "integrity"]


def _python() -> bytes:
    """SymPy, mpmath and the checker as one archive, the same bytes for the same code."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for package in (SYMPY, MPMATH):
            with zipfile.ZipFile(_kept(package)[0]) as wheel:
                for name in sorted(wheel.namelist()):
                    if ("LICENSE" in name or name.endswith(".py")) and not UNUSED.search(name):
                        archive.writestr(zipfile.ZipInfo(name, EPOCH), wheel.read(name), zipfile.ZIP_DEFLATED)
        for room in ROOMS:
            path = ROOT / "fedmm_edu" / room
            for file in sorted(path.rglob("*.py*")) if path.is_dir() else [path]:
                if file.suffix in (".py", ".pyi"):
                    info = zipfile.ZipInfo(str(file.relative_to(ROOT)), EPOCH)
                    archive.writestr(info, file.read_bytes(), zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def megabytes(size: int) -> int:
    return round(size / 1e6)


def sent_bytes(name: str, data: bytes) -> int:
    """Bytes that travel where the server compresses what is not packed yet."""
    return len(data) if name.endswith((".zip", ".whl")) else len(gzip.compress(data))


def checker_form() -> str:
    """A labelled field for each part of a model, filled in with the toy."""
    fields = as_typed(toy.models()["toy"])
    return "\n".join(_field(key, fields[key]) for key in TYPED_FIELDS)


def _field(key: str, value: str) -> str:
    symbol, hint = HINTS[key]
    required = "" if key in OPTIONAL else " required"
    return (
        f'<p class="field"><label for="checker-{key}"><b>{symbol}</b> <code>{key}</code></label>'
        f'<textarea id="checker-{key}" name="{key}" rows="1" spellcheck="false" autocapitalize="off" '
        f'aria-describedby="checker-{key}-hint"{required}>{escape(value)}</textarea>'
        f'<small id="checker-{key}-hint">{hint}</small></p>'
    )
