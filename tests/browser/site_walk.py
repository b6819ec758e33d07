"""A walk over the built site: every page, on a desktop, light and dark, on a phone, and on paper.

Run by name after `make book`: `python -m pytest tests/browser/site_walk.py`. It needs Playwright and a Chromium.
"""

import functools
import gzip
from collections.abc import Iterable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest

from book.generate.vendor import AXE, fetch
from fedmm_edu.figures import toy_aggregates
from tests.browser.conftest import HTML

PAGES = sorted(
    str(path.relative_to(HTML)) for path in HTML.rglob("*.html") if not {"_static", "lite"} & set(path.parts)
)
SOURCES = [page for page in PAGES if page.startswith("source/")]
WALKED = [page for page in PAGES if page not in SOURCES[1:]]
"""Source files are pages of one kind, made by one function: one of them is opened, the links of all are checked."""
VIEWS = {
    "desktop": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "dark": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 900}, "color_scheme": "light"},
}
PAPER = 718
"""Pixels across a sheet of A4 between its margins."""
PATIENCE = 300_000
"""Milliseconds that a step may take before the test fails: generous, since machines differ."""
VISIT, PAINT, REQUESTS = 350_000, 300_000, 32
"""Bytes, as they travel, and files of a first visit with an empty cache; bytes before a page shows anything."""
LONG = {"report/index.html": 500_000, "dictionary_results.html": 550_000, "transport_results.html": 500_000}
"""What is long may weigh more: the whole ledger on one page, and the two pages with all pictures of a section."""
LOOK = """() => ({
  alone: [...document.querySelectorAll("span.math:not(:has(.too-wide))")].filter(e => {
    if (!(e.nextSibling instanceof Text) || !/^[.,;:?!)]/.test(e.nextSibling.data)) return false;
    const mark = document.createRange();
    mark.setStart(e.nextSibling, 0);
    mark.setEnd(e.nextSibling, 1);
    return mark.getBoundingClientRect().right < e.getBoundingClientRect().right;
  }).map(e => e.parentElement.textContent.slice(0, 80)),
  wide: document.documentElement.scrollWidth - window.innerWidth,
  unshown: [...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src),
  noAlt: [...document.images].filter(i => !i.alt).map(i => i.src),
  bareMath: [...document.querySelectorAll(".math")].filter(e => !e.querySelector("math")).map(e => e.textContent),
  offCentre: [...document.querySelectorAll("div.math:not(.too-wide) > math")]
    .filter(e => e.getBoundingClientRect().left > e.parentElement.getBoundingClientRect().left + 1)
    .map(e => e.textContent.slice(0, 80)),
  outOfBox: [...document.querySelectorAll(".chain-map a")].filter(a => {
    const box = a.querySelector("rect").getBoundingClientRect();
    return [...a.querySelectorAll("text")].map(t => t.getBoundingClientRect())
      .some(t => t.left < box.left || t.right > box.right || t.top < box.top - 1 || t.bottom > box.bottom + 1);
  }).map(a => a.textContent),
  cut: [...document.querySelectorAll(".bd-article :is(table, pre, math, img, svg)")].filter(e => {
    if (!e.checkVisibility() || e.closest(".explorable, svg svg, .sd-card")) return false;
    const right = e.getBoundingClientRect().right;
    for (let up = e.parentElement; up; up = up.parentElement) {
      const way = getComputedStyle(up).overflowX;
      if (way === "auto" || way === "scroll") return false;
      if (way === "hidden" && right > up.getBoundingClientRect().right + 1) return true;
    }
    return false;
  }).map(e => `${e.tagName} ${e.textContent.slice(0, 80)}`),
  tooSmall: [...document.images].filter(i => i.clientWidth && i.naturalWidth > 1.9 * i.clientWidth && !i.closest("a"))
    .filter(i => !i.src.startsWith("data:")).map(i => i.src),
  wrongMath: [...document.querySelectorAll("merror")].map(e => e.outerHTML.slice(0, 200)),
})"""


AXE_RUN = """async () => {
  for (const math of document.querySelectorAll("math")) math.replaceChildren(math.textContent);
  dispatchEvent(new Event("resize"));  // what is wider now scrolls, as the page sees to
  const found = await axe.run(document, {runOnly: ["wcag2a", "wcag2aa"], resultTypes: ["violations"]});
  return found.violations.map(v => [v.id, v.nodes.length, v.nodes.slice(0, 3).map(n => n.html.slice(0, 160))]);
}"""
"""A formula is checked as one text in its place, in its colour: its inside is most of a page, and takes axe minutes."""


@pytest.fixture(scope="module", params=VIEWS)
def browse(chromium, request, address):
    """`browse(page)` opens a page and returns it with what went wrong: messages, requests elsewhere, failures."""
    context = chromium.new_context(**VIEWS[request.param], reduced_motion="reduce")
    trouble = []
    context.route(lambda url: not url.startswith((address, "data:", "blob:")), lambda route: route.abort())
    context.on(
        "request", lambda sent: trouble.extend([] if sent.url.startswith((address, "data:", "blob:")) else [sent.url])
    )
    context.on("response", lambda got: trouble.extend([f"{got.status} {got.url}"] if got.status >= 400 else []))
    context.on("console", lambda said: trouble.extend([said.text] if said.type == "error" else []))
    context.on("weberror", lambda failed: trouble.append(str(failed.error)))
    view = context.new_page()
    view.set_default_timeout(PATIENCE)

    def opened(page: str):
        trouble.clear()
        view.goto(address + page)
        return view, trouble

    yield opened
    context.close()


@pytest.mark.parametrize("page", WALKED)
def test_page_is_sound(browse, page):
    """No error, nothing from elsewhere, no broken image, every formula set, nothing wider than the screen.

    No line begins with the full stop after a formula.

    And axe-core finds no violation of WCAG 2 A and AA, contrast and alternative texts among them.
    """
    view, trouble = browse(page)
    seen = view.evaluate(LOOK)
    assert trouble == []
    assert {name: found for name, found in seen.items() if name != "wide" and found} == {}
    assert seen["wide"] <= 0
    view.evaluate((fetch(AXE) / "axe.min.js").read_text("utf-8"))  # a page's own policy lets no script tag in
    assert view.evaluate(AXE_RUN) == []


class Links(HTMLParser):
    """The addresses that a page leads to, the ids on it, what it loads, and what of it before it shows anything."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links, self.ids, self.loaded, self.first = [], set(), set(), set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.ids |= {found[key] for key in ("id", "name") if found.get(key)}
        self.links += [found[key] for key in ("href", "src") if found.get(key)]
        if tag in ("img", "script") and "src" in found:
            self.loaded.add(found["src"])
        if tag == "script" and "src" in found and not {"async", "defer"} & set(found) and found.get("type") != "module":
            self.first.add(found["src"])
        if tag == "link" and found["rel"] == "stylesheet":
            self.first.add(found["href"])
            self.loaded.add(found["href"])


@functools.cache
def links(page: str) -> Links:
    return Links((HTML / page).read_text(encoding="utf-8"))


SITE = "http://site/"
"""Where the pages lie, to resolve links: `urljoin` knows schemes of the web only."""


def target(page: str, link: str) -> tuple[Path, str] | None:
    """The file and the place in it that a link of a page leads to; None if it leads elsewhere."""
    address, anchor = urldefrag(urljoin(SITE + page, link))
    if not address.startswith(SITE):
        return None
    return HTML / unquote(urlsplit(address).path.lstrip("/")), unquote(anchor)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    """Every link within the site has its file and its place; one that leads elsewhere is the reader's to click."""
    inside = {link: found for link in links(page).links if (found := target(page, link))}
    assert inside
    for link, (file, anchor) in inside.items():
        assert file.is_file(), f"{link}: no such file"
        if anchor and file.suffix == ".html":
            assert anchor in links(str(file.relative_to(HTML))).ids, f"{link}: no such place"


def travels(page: str, addresses: Iterable[str]) -> int:
    """Bytes of a page and of the files that it names so; text is compressed, as servers do it."""
    files = {HTML / page, *(found[0] for address in addresses if (found := target(page, address)))}
    whole = {file: file.read_bytes() for file in files}
    return sum(len(data if file.suffix in (".png", ".gif") else gzip.compress(data)) for file, data in whole.items())


@pytest.mark.parametrize("page", PAGES)
def test_page_is_light(page):
    """A page with all that it names is light, and so is what it needs before it shows anything."""
    assert travels(page, links(page).loaded) <= LONG.get(page, VISIT)
    assert travels(page, links(page).first) <= LONG.get(page, PAINT)


KINDS = ["index.html", "lessons/02_one_template.html", "lessons/05_aggregate_where.html", "explorables/rounds.html",
         "ledger/section-5.html", "ledger/corrections.html", "ledger/assumptions.html", "examples/quadratic.html",
         "theorem1.html", "checker.html", "literature.html", "relatives.html", "relatives_results.html",
         "many_machines.html", "timings.html", "howto/own_data.html",
         "teaching/00_courses.html", "api/fedmm_edu.html", "glossary.html", "downloads.html", "search.html",
         "genindex.html", *SOURCES[:1], "report/index.html"]  # fmt: skip
"""A page of each kind. What the checker loads when it is asked to is weighed in `site_checker.py`."""


@pytest.mark.parametrize("page", KINDS)
def test_a_first_visit_is_light(chromium, address, page):
    """With nothing kept from before: all that a browser asks for, as servers send it, and how often it asks."""
    context = chromium.new_context(reduced_motion="reduce")
    got = []
    context.on("response", lambda answer: got.append(answer))  # Playwright takes no built-in
    context.new_page().goto(address + page, wait_until="networkidle", timeout=PATIENCE)
    weights = {answer.url: _weight(answer) for answer in got}
    context.close()
    assert sum(weights.values()) <= LONG.get(page, VISIT), weights
    assert len(got) <= REQUESTS, list(weights)


def _weight(answer) -> int:
    packed = (".png", ".gif", ".woff2", ".ico")
    return len(answer.body() if urlsplit(answer.url).path.endswith(packed) else gzip.compress(answer.body()))


def test_there_is_a_page_of_each_kind():
    """The walk has something to walk over."""
    kinds = """index lessons/01 ledger/index ledger/section-5 ledger/corrections ledger/lines theorem1 examples/toy
        timings howto/own_data api/fedmm_edu glossary bibliography downloads report/index source/"""
    for kind in kinds.split():
        assert any(page.startswith(kind) for page in PAGES), kind


def test_the_map_answers_to_the_keyboard(browse):
    """With the focus on Theorem 1 (B), the boxes below light up; Enter leads to its row."""
    view, trouble = browse("theorem1.html")
    box = view.locator('.chain-map a[data-node="thm1-B"]')
    box.focus()
    assert view.locator(".chain-map path.lit").count() > 10
    assert view.locator('.chain-map a.lit[data-node="MM-1"]').count() == 1
    view.keyboard.press("Enter")
    view.wait_for_url("**/ledger/*.html#thm1-B")
    assert trouble == []


def test_a_row_opens_and_has_its_evidence(browse):
    """The link of a correction leads to its row, whose evidence opens."""
    view, _ = browse("ledger/corrections.html")
    link = view.locator("article a[href*='#']:has(code)").first
    name = link.inner_text()
    link.click()
    view.wait_for_url(f"**#{name}")
    details = view.locator(f'details[data-row="{name}"]')
    details.locator("summary").first.click()
    assert "How we know" in details.inner_text()


def test_the_first_page_stands_still_where_motion_is_unwelcome(browse):
    """prefers-reduced-motion: nothing moves until a button is pressed; then it does, until another is."""
    view, trouble = browse("index.html")
    says = view.locator(".explorable .says")

    def stands() -> bool:
        before = says.inner_text()
        view.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return says.inner_text() == before

    assert stands()
    before = says.inner_text()
    view.get_by_role("button", name="Let them drift").press("Enter")
    view.wait_for_function("text => document.querySelector('.explorable .says').textContent !== text", arg=before)
    view.get_by_role("button", name="Pause").press("Enter")
    assert stands()
    assert says.get_attribute("aria-live") == "polite"
    assert trouble == []


def test_clients_of_the_first_page_are_dragged_by_keys_and_pointer(browse):
    """The sentence is Python's; equal clients have one average."""
    view, _ = browse("index.html")
    handle, says = view.get_by_role("slider", name="surrogate of client 1"), view.locator(".explorable .says")
    handle.focus()
    view.keyboard.press("Home")
    in_S, in_Theta = toy_aggregates([0.15, 3.5], [0.5, 0.5])
    assert f"that is {in_S:.3f}" in says.inner_text()
    assert f"the average is {in_Theta:.3f}" in says.inner_text()
    box = handle.bounding_box()
    view.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    view.mouse.down()
    view.mouse.move(box["x"] + 60, box["y"])
    view.mouse.up()
    assert float(handle.get_attribute("aria-valuenow")) > 0.16
    view.get_by_role("button", name="Make them equal").press("Enter")
    assert "the same, as the clients are equal" in says.inner_text()


def test_the_first_page_says_it_without_scripts(chromium, address):
    """A picture with its sentence, and the ways to go."""
    context = chromium.new_context(java_script_enabled=False)
    view = context.new_page()
    view.goto(address + "index.html")
    assert view.locator("figure img[src$='idea.png']").is_visible()
    caption = view.locator("figure:has(img[src$='idea.png']) figcaption")  # get_by_text finds nothing in <noscript>
    assert caption.is_visible()
    assert "the orange cross, is not" in caption.inner_text()
    assert view.get_by_text("I build systems").is_visible()
    context.close()


@pytest.fixture(scope="module")
def paper(chromium):
    """An A4 sheet."""
    context = chromium.new_context(viewport={"width": PAPER, "height": 1000}, reduced_motion="reduce")
    view = context.new_page()
    view.set_default_timeout(PATIENCE)
    view.emulate_media(media="print")
    yield view
    context.close()


CUT = """() => [...document.querySelectorAll("body *")]
  .filter(e => e.clientWidth && e.scrollWidth > e.clientWidth + 2 && e.checkVisibility())
  .filter(e => getComputedStyle(e).overflowX !== "visible" && !/^(INPUT|SELECT|TEXTAREA)$/.test(e.tagName))
  .filter(e => e.tagName === "TABLE" || !e.querySelector("math"))
  .map(e => `${e.tagName} ${e.className} ${e.textContent.trim().slice(0, 80)}`)"""
"""What scrolls on a screen, and on paper ends at its edge; formulas that no line can hold still do."""


@pytest.mark.parametrize("page", WALKED)
def test_a_page_prints(paper, address, page):
    """On paper there are no menus, nothing is cut off at the side, and what is folded up is open."""
    paper.goto(address + page)
    assert paper.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert paper.evaluate(CUT) == []
    assert not paper.locator(".bd-sidebar-primary, .bd-header-article").filter(visible=True).count()
    for folded in paper.locator(".solution details > .cell_input").all():
        assert folded.is_visible()


def test_results_of_a_search_quote_their_pages_from_files(chromium):
    """From a USB stick: no server, no error, and each result with words of its page, the ones asked for among them."""
    context = chromium.new_context()
    view, trouble = context.new_page(), []
    view.on("pageerror", lambda error: trouble.append(str(error)))
    view.goto(f"{(HTML / 'search.html').as_uri()}?q=heterogeneity")
    view.locator("#search-results p.context").first.wait_for(timeout=PATIENCE)
    found = view.locator("#search-results p.context").all_inner_texts()
    room = view.locator(".bd-article-container .bd-search input").evaluate(
        "field => field.getBoundingClientRect().x + parseFloat(getComputedStyle(field).paddingLeft)"
        " - field.parentElement.querySelector('i').getBoundingClientRect().right"
    )
    assert room >= 0  # the icon does not lie over what is typed
    assert len(found) > 3
    assert sum("heterogen" in text.lower() for text in found) > len(found) / 2
    assert trouble == []
    context.close()
