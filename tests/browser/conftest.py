"""A browser for the checks of this folder, which are run by name: they need Playwright and a Chromium."""

import functools
import http.server
import threading
from shutil import which

import pytest

from book.generate.tree import BUILD

HTML = BUILD / "html"


class Quiet(http.server.SimpleHTTPRequestHandler):
    """The built folder, without a line on the console for each request."""

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def address():
    """The site on this machine: http://127.0.0.1:PORT/."""
    if not (HTML / "index.html").is_file():
        pytest.fail(f"there is no site in {HTML}: run `make book` first.")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=HTML)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


@pytest.fixture(scope="session")
def chromium():
    """The system's Chromium, or else the one that Playwright fetched."""
    from playwright.sync_api import sync_playwright

    system = which("chromium") or which("chromium-browser") or which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=system, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()
