"""The checker on its page, in a browser: loaded on demand from the site alone, it proves, refutes, and is stopped.

Run by name after `make book`: `python -m pytest tests/browser/site_checker.py`. It takes a minute, nothing sleeps.
"""

import pytest

from book.generate.checker import megabytes, sent_bytes
from fedmm_edu.examples.toy.model import models, wrong_models
from fedmm_edu.symbolic.hypotheses.check import ROWS
from fedmm_edu.symbolic.hypotheses.typed import as_typed
from fedmm_edu.text.plain import plain
from tests.browser.conftest import HTML

PAGE = "checker.html"
DEMAND = 20_000_000
"""Bytes, as they travel, that a reader who asks for the checker waits for, once."""
PATIENCE = 300_000
"""Milliseconds that a step may take before the test fails: generous, since machines differ."""


@pytest.fixture(scope="module")
def view(chromium, address):
    """The page, the requests that it has made, and what went wrong; elsewhere nothing is answered."""
    context = chromium.new_context(viewport={"width": 390, "height": 900})
    asked, trouble = [], []
    context.route(lambda url: not url.startswith((address, "data:", "blob:")), lambda route: route.abort())
    context.on("request", lambda sent: asked.append(sent.url))
    context.on("console", lambda said: trouble.extend([said.text] if said.type == "error" else []))
    context.on("weberror", lambda failed: trouble.append(str(failed.error)))
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address + PAGE, wait_until="networkidle")
    before = list(asked)
    page.get_by_role("button", name="Load the checker").press("Enter")
    page.locator("#checker-says").get_by_text("The checker is ready.").wait_for()
    yield page, before, asked, trouble
    context.close()


def typed(page, fields):
    """The fields filled in by hand, and the rows that come of them: name → (status, the row's text)."""
    for name, text in fields.items():
        page.locator(f"#checker-{name}").fill(text)
    page.get_by_role("button", name="Check", exact=True).press("Enter")
    page.locator("#checker-says").get_by_text("Done, after").wait_for()
    rows = page.locator("#checker .rows > li")
    names = [row.get_attribute("data-row") for row in rows.all()]
    states = rows.locator(".verdict").all_inner_texts()
    return {name: (state, row.inner_text()) for name, state, row in zip(names, states, rows.all(), strict=True)}


def test_nothing_is_loaded_before_it_is_asked_for(view, address):
    """And then only from the site's own folder."""
    _, before, asked, _ = view
    assert [url for url in before if "/checker/" in url] == []
    assert any(url.endswith("/checker/pyodide.asm.wasm") for url in asked)
    assert [url for url in asked if not url.startswith((address, "data:", "blob:"))] == []


def test_what_is_loaded_on_demand_weighs_what_the_page_says(view, address):
    """In whole megabytes, where the server compresses and where it does not; and no more than we allow."""
    page, before, asked, _ = view
    files = {HTML / url.removeprefix(address).partition("?")[0] for url in asked if url not in before}
    weights = {file.name: len(file.read_bytes()) for file in files}
    sent = sum(sent_bytes(file.name, file.read_bytes()) for file in files)
    assert f"{megabytes(sum(weights.values()))} MB, once ({megabytes(sent)} MB" in page.locator("article").inner_text()
    assert sent <= DEMAND, weights


def test_a_right_model_is_proved(view):
    page, _, _, trouble = view
    rows = typed(page, as_typed(models()["toy"]))
    assert {name: state for name, (state, _) in rows.items()} == dict.fromkeys(map(plain, ROWS), "proved")
    assert "every hypothesis is proved" in page.locator("#checker .sum").inner_text()
    assert trouble == []


def test_a_wrong_model_is_refuted_at_a_point_and_repaired(view):
    """The row, its witness and what to do next; then the repair, typed, is proved."""
    page, _, _, _ = view
    breaks, wrong = wrong_models()["T without the root"]
    rows = typed(page, as_typed(wrong))
    assert [name for name, (state, _) in rows.items() if state != "proved"] == [breaks]
    assert "at s = " in rows[breaks][1]
    assert "proved with T = 1/sqrt(s)" in rows[breaks][1]
    assert typed(page, {"T": "1/sqrt(s)"})[breaks][0] == "proved"


def test_what_cannot_be_read_is_said(view):
    page, _, _, _ = view
    assert typed(page, {"T": "__import__('os')"}) == {}
    assert "T:" in page.locator("#checker .sum").inner_text()


def test_an_example_fills_the_fields_and_a_check_is_stopped(view):
    """After a stop the same button starts the checker again."""
    page, _, _, _ = view
    page.locator("#checker-example").select_option(label="Student-t regression")
    assert "log" in page.locator("#checker-loss").input_value()
    page.get_by_role("button", name="Check", exact=True).press("Enter")
    page.locator("#checker .rows > li").first.wait_for()
    page.get_by_role("button", name="Stop").press("Enter")
    assert "Stopped" in page.locator("#checker-says").inner_text()
    assert page.get_by_role("button", name="Stop").is_disabled()
    rows = typed(page, as_typed(models()["toy"]))
    assert {state for state, _ in rows.values()} == {"proved"}


def test_from_a_file_the_page_says_what_to_do(chromium):
    context = chromium.new_context()
    page = context.new_page()
    page.goto((HTML / PAGE).as_uri())
    assert "python -m http.server" in page.locator("#checker-says").inner_text()
    assert page.get_by_role("button", name="Load the checker").is_disabled()
    context.close()
