"""A browser for the checks of this folder, which are run by name: they need Playwright and a Chromium."""

from shutil import which

import pytest


@pytest.fixture(scope="session")
def chromium():
    """The system's Chromium, or else the one that Playwright fetched."""
    from playwright.sync_api import sync_playwright

    system = which("chromium") or which("chromium-browser") or which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=system, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()
