"""The course site: `python -m book` builds it into `book/_build/html`; `--serve` shows it on this machine."""

from __future__ import annotations

import argparse
import functools
import http.server
import os
import shutil
import subprocess
import sys
from pathlib import Path

from book.generate.computed import CODE
from book.generate.course import print_course, require_browser
from book.generate.lite import add_lite, require_lite
from book.generate.source import assemble
from book.generate.tree import BOOK, BUILD, ROOT, Tree
from book.generate.vendor import AXE, CHECKER, SITE, fetch
from fedmm_edu.errors import FedMMError
from fedmm_edu.files import write_text
from proofs_checks.runner.kept import key

HTML = BUILD / "html"
INDICES = ("genindex.html", "search.html", "py-modindex.html", "searchindex.js", "objects.inv", ".buildinfo")
"""What Sphinx makes without a source, beside folders whose names begin with an underscore."""


def build(lite: bool, pdf: bool) -> int:
    """Put the sources together and let jupyter-book build them, warnings being errors; its exit status."""
    tree = assemble(lite, pdf)
    drop_old_outputs()
    command = [
        Path(sys.executable).with_name("jupyter-book"),
        "build",
        "-W",
        "-n",
        "--keep-going",
        "--path-output",
        BOOK,
    ]
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH", ""))))
    status = subprocess.run([*command, tree.folder], env={**os.environ, "PYTHONPATH": path}, check=False).returncode
    if status == 0:
        drop_old_pages(HTML, tree)
    return status


def drop_old_outputs() -> None:
    """Forget what cells have shown when the code behind them has changed: caches compare the text of cells only."""
    outputs, now = BUILD / ".jupyter_cache", key(CODE)
    stamp = outputs / "code"
    if not (stamp.is_file() and stamp.read_text(encoding="utf-8") == now):
        shutil.rmtree(outputs, ignore_errors=True)
        shutil.rmtree(BUILD / ".doctrees", ignore_errors=True)
        write_text(stamp, now)


def drop_old_pages(html: Path, tree: Tree) -> None:
    """Remove what earlier builds made of sources that are no more, and live kernels: Sphinx leaves it."""
    names = {path.relative_to(tree.folder) for path in tree.written}
    kept = {name.with_suffix(".html") for name in names if name.suffix == ".md"}
    kept |= {name.relative_to("extra") for name in names if name.parts[0] == "extra"}
    for path in html.rglob("*"):
        name = path.relative_to(html)
        made = name.parts[0].startswith("_") or str(name) in INDICES
        if path.is_file() and name not in kept and not made:
            path.unlink()


def serve(port: int) -> None:
    """Show the built site to this machine only, until it is interrupted."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=HTML)
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        print(f"http://127.0.0.1:{port}/ (Ctrl-C ends)")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


def main() -> int:
    """0, or the exit status of what failed."""
    parser = argparse.ArgumentParser(prog="python -m book", description=__doc__)
    parser.add_argument("--fetch", action="store_true", help="only fetch what pages, and their tests, load")
    parser.add_argument("--serve", action="store_true", help="then show the site on this machine")
    parser.add_argument("--lite", action="store_true", help="add JupyterLite: lessons with a Python in the browser")
    parser.add_argument("--pdf", action="store_true", help="add the course as one PDF, which a Chromium prints")
    parser.add_argument("--pyodide", metavar="URL", help="with --lite: a Pyodide of your own instead of the public one")
    parser.add_argument("--port", type=int, default=8000, help="where (default: 8000)")
    args = parser.parse_args()
    try:
        if args.fetch:
            for package in (*SITE, *CHECKER, AXE):
                print(fetch(package))
            return 0
        if args.lite:
            require_lite()
        if args.pdf:
            require_browser()
        status = build(args.lite, args.pdf)
        if status == 0 and args.pdf:
            print(print_course(HTML))
        if status == 0 and args.lite:
            print(add_lite(HTML, args.pyodide))
    except FedMMError as error:
        print(error, file=sys.stderr)
        return 1
    if status == 0 and args.serve:
        serve(args.port)
    return status


if __name__ == "__main__":
    sys.exit(main())
