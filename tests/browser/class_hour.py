"""An hour of `fedmm class` with 30 phones on this machine: 26 that play by themselves, a hostile one, three pages.

Run by name: `make browser`, or `python -m pytest tests/browser/class_hour.py`. It needs Playwright and a Chromium.
Nothing sleeps: each step waits for what it leads to.
"""

import asyncio
import json
import math
import re
import signal
import subprocess
import sys
from threading import Thread
from urllib.request import Request, urlopen

import numpy as np
import pytest
from tornado.websocket import websocket_connect

from fedmm_edu.classroom.alone import act, arrive
from fedmm_edu.classroom.room import Room

PATIENCE = 120_000
"""Milliseconds that a step may take before the test fails: generous, since machines differ."""
ROBOTS = 26
MARKUP = "<img src=x onerror=\"document.title='hurt'\">"
IDEAS = {0: ("log(z)", "exp(-a)"), 1: ("sqrt(z)", "1/a^2"), 2: (MARKUP, "1/a")}
RIGHT = {"phi": "-theta^2/2", "psi": "-log(theta)", "S_bar": "z/theta", "T": "1/sqrt(s)"}
WRONG = {**RIGHT, "phi": "-theta", "psi": "0", "S_bar": "z", "T": "1/s"}
OPEN = {"phi": "-theta", "psi": "-log(theta)", "S_bar": "z", "T": "exp(loggamma(s) - loggamma(s+1))"}


def throws():
    """What 26 phones threw: that of 26 simulated classmates."""
    room = Room(seed=1)
    for event in arrive(ROBOTS):
        room = event.apply(room)
    for event in list(act(room, ROBOTS)):
        room = event.apply(room)
    return [reading for _, reading in room.members]


class Crowd(Thread):
    """Phones that answer each view with what it lacks, in a loop of their own."""

    def __init__(self, address):
        super().__init__(daemon=True)
        self.base, self.token = re.fullmatch(r"http://([^/]+)/join/(\w+)", address).groups()
        self.loop, self.readings = asyncio.new_event_loop(), throws()
        self.secrets = [self.join() for _ in range(ROBOTS + 1)]  # the last one is hostile
        self.sockets = {}

    def join(self):
        body = json.dumps({"token": self.token}).encode()
        with urlopen(Request(f"http://{self.base}/api/join", body)) as answer:
            return json.load(answer)["secret"]

    def run(self):
        self.loop.run_forever()

    def arrive(self, k):
        """Phone k connects, or comes back."""
        asyncio.run_coroutine_threadsafe(self.play(k), self.loop)

    def leave(self, k):
        self.loop.call_soon_threadsafe(lambda: self.sockets[k].close())

    async def play(self, k):
        self.sockets[k] = socket = await websocket_connect(f"ws://{self.base}/api/screen")
        await socket.write_message(json.dumps({"secret": self.secrets[k]}))
        said = set()
        while (text := await socket.read_message()) is not None:
            view = json.loads(text)["view"]
            for message in self.hostile(view) if k == ROBOTS else self.answers(k, view):
                again = '"guess"' in message  # the hostile one is often told to be slower
                if again or (view["scene"], message) not in said:
                    said.add((view["scene"], message))
                    await socket.write_message(message)

    def answers(self, k, view):
        if view["data"] is None:
            yield json.dumps({"do": "data", "six": self.readings[k][0], "heads": self.readings[k][1]})
        elif view["task"] == "theta" and view["sent"] is None:
            yield json.dumps({"do": "theta", "six": f"1/{view['data'][0]}", "heads": f"1/{view['data'][1]}"})
        elif view["task"] == "idea" and not view["ideas"] and k in IDEAS:
            yield json.dumps({"do": "idea", "send": IDEAS[k][0], "back": IDEAS[k][1]})
        elif view["question"] and view["guess"] is None and view["histogram"] is None:
            yield json.dumps({"do": "guess", "choice": k % 3})

    def hostile(self, view):
        """Everything that a phone should not send, in each scene; its guesses count, so that nobody waits for it."""
        if view["question"] and view["guess"] is None and view["histogram"] is None:
            yield json.dumps({"do": "guess", "choice": 0})
        yield from ("{", "null", '{"do": "data", "six": 1e999, "heads": NaN}', '{"do": "open"}')
        yield json.dumps({"do": "theta", "six": "nan", "heads": MARKUP})
        yield json.dumps({"do": "lines", "phi": MARKUP, "psi": "9^9^9^9^9", "S_bar": "__import__('os')", "T": "x"})
        yield json.dumps({"do": "idea", "send": "(((9^999)^999)^999)^999", "back": "a"})


@pytest.fixture
def served(request):
    """The addresses of phones and of the teacher; a test may give further options."""
    options = getattr(request, "param", ())
    command = [sys.executable, "-m", "fedmm_edu", "class", "--port", "0", "--host", "127.0.0.1", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
        said = ""
        for line in process.stdout:
            said += line
            if line.startswith("Ctrl-C"):
                break
        yield re.search(r"http\S+/join/\S+", said)[0], re.search(r"http\S+/teach/\S+", said)[0]
        process.send_signal(signal.SIGINT)
        assert "nothing was kept" in process.stdout.read()
    assert process.returncode == 0


@pytest.fixture
def opened(chromium):
    """`opened(width, height, scheme)` is an empty page; nothing may go to the console, or ask elsewhere."""
    contexts, pages, trouble, asked = [], [], [], []

    def new(width, height, scheme):
        context = chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, has_touch=width < 500
        )
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda message: trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda sent: asked.append(sent.url))
        contexts.append(context)
        pages.append(page)
        return page

    yield new
    for context in contexts:
        context.close()
    assert trouble == []
    assert [url for url in asked if not url.startswith("http://127.0.0.1:")] == []


def fits(*pages):
    """Nothing is wider than its screen, and every control has a name."""
    unnamed = "e => e.filter(x => !(x.labels?.length || x.innerText || x.getAttribute('aria-label'))).length"
    for page in pages:
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        assert page.eval_on_selector_all("input, button, a", unnamed) == 0


def shown(page, text):
    page.get_by_text(text).first.wait_for()


def write(page, lines):
    for name, text in lines.items():
        page.fill(f"[name={name}]", text)
    page.get_by_text("Prove it, or break it").click()


def test_an_hour(served, opened):
    """Every scene, with joins, leaves, reloads and hostile input; the dot lands; a reloaded teacher loses nothing."""
    address, teaching = served
    crowd = Crowd(address)
    crowd.start()
    for k in range(ROBOTS + 1):
        crowd.arrive(k)
    teacher = opened(1280, 800, "light")
    phones = [opened(375, 740, "dark"), opened(375, 740, "light"), opened(360, 640, "light")]
    teacher.goto(teaching)
    readings = [*crowd.readings, *play_data(teacher, phones, address)]
    best, naive = 1 / np.mean(readings, axis=0), np.mean(1 / np.array(readings), axis=0)

    play_guess(teacher, phones)
    play_theta(teacher, phones, crowd, readings, best, naive)
    play_idea(teacher, phones)
    play_lines(teacher, phones)
    play_rounds(teacher, phones, best)

    with teacher.expect_download() as saving:
        teacher.get_by_text("Save what we did").click()
    page = saving.value.path().read_text(encoding="utf-8")
    assert "<td>-theta^2/2</td>" in page
    assert "&lt;img src=x" in page
    assert "<img" not in page
    assert "lands on θ⋆" in page
    assert "29 clients took part" in page
    assert "hurt" not in teacher.title()
    for k in list(crowd.sockets):
        crowd.leave(k)
    crowd.loop.call_soon_threadsafe(crowd.loop.stop)


def play_data(teacher, phones, address):
    """Pages join by the address on the screen; one lets the phone throw. Their readings."""
    for page in phones:
        page.goto(address)
    for page, (six, heads) in zip(phones, ((7, 2), (3, 1), (None, 4)), strict=True):
        if six is None:
            page.get_by_text("No die here?").click()
            assert page.locator(".faces").first.inner_text().endswith("⚅")
        else:
            page.fill("[name=six]", str(six))
        page.fill("[name=heads]", str(heads))
        page.get_by_text("Keep my numbers").click()
        shown(page, "Kept:")
    shown(teacher, "30 here")
    shown(teacher, "29 of 30 have thrown.")  # the hostile one sent nothing that counts
    fits(teacher, *phones)
    thrown = int(phones[2].input_value("[name=six]"))
    return [(7, 2), (3, 1), (thrown, 4)]


def play_guess(teacher, phones):
    """The histogram appears when all have locked, on every screen, and nowhere before."""
    teacher.get_by_text("Next: Before we average").click()
    for k, page in enumerate(phones):
        shown(teacher, f"{27 + k} of 30 have locked a guess.")
        assert [one.locator("rect.bar").count() for one in (teacher, *phones)] == [0] * 4
        page.get_by_text("too large").click()
        page.get_by_text("Lock my guess").click()
    for page in (teacher, *phones):
        page.locator("rect.bar").first.wait_for()
    counts = re.findall(r": (\d+)", teacher.locator("svg.chart").get_attribute("aria-label"))
    assert [int(count) for count in counts] == [10, 9, 11, 0]
    fits(teacher, *phones)


def play_theta(teacher, phones, crowd, readings, best, naive):
    """The class averages θ and misses; a phone that reloads is the same one; others leave and come back."""
    teacher.get_by_text("Next: Average the answers").click()
    for page, (six, heads) in zip(phones, readings[-3:], strict=True):
        page.fill("[name=six]", f"1/{six}")
        page.fill("[name=heads]", f"1/{heads}")
        page.get_by_text("Send my θ's").click()
        shown(page, "Sent:")
    shown(teacher, "29 answers")
    assert teacher.locator("circle.target").count() == 0
    teacher.get_by_text("Show θ⋆").click()
    teacher.locator("circle.target").first.wait_for()
    said = teacher.locator(".two .says").inner_text()
    shown_average, shown_best = (
        [float(x) for x in re.search(rf"{word} ([\d.]+) and ([\d.]+\d)", said).groups()] for word in ("average:", "θ⋆:")
    )
    assert shown_average == pytest.approx(naive, rel=6e-3)
    assert shown_best == pytest.approx(best, rel=6e-3)
    assert (naive > best).all()

    phones[1].reload()
    shown(phones[1], "Sent:")
    for k in (3, 4):
        crowd.leave(k)
    shown(teacher, "28 here")
    for k in (3, 4):
        crowd.arrive(k)
    shown(teacher, "30 here")
    shown(teacher, "29 answers")
    fits(teacher, *phones)


def play_idea(teacher, phones):
    """Other means miss; somebody sends s, and the dot lands; markup is text."""
    teacher.get_by_text("Next: Send something else").click()
    phones[0].fill("[name=send]", "z")
    phones[0].fill("[name=back]", "1/a")
    phones[0].get_by_text("Try it with the class").click()
    shown(phones[0], "it lands on θ⋆!")
    teacher.locator("circle.lands").wait_for()
    teacher.locator("td", has_text="is no formula").first.wait_for()
    dot, target = ([float(teacher.locator(f"circle.{kind}").first.get_attribute(c)) for c in ("cx", "cy")]
                   for kind in ("lands", "target"))  # fmt: skip
    assert dot == pytest.approx(target, abs=1e-6)
    assert teacher.locator("circle.idea").count() == 2
    assert teacher.locator("td img").count() == 0
    shown(teacher, MARKUP)
    fits(teacher, *phones)


def play_lines(teacher, phones):
    """Refuted with a picture to drag, proved, undecided; the teacher reloads in the middle."""
    teacher.get_by_text("Next: Write the surrogate").click()
    write(phones[0], WRONG)
    shown(phones[0], "✗ Refuted: this is no surrogate.")
    said = phones[0].locator(".says").inner_text
    tau, theta, depth = map(
        float, re.search(r"τ = ([\d.]+): at θ = ([\d.]+) your surrogate lies ([\d.]+)", said()).groups()
    )
    assert depth == pytest.approx(math.log(tau / theta), rel=5e-3)  # ψ is missing: the gap is log θ − log τ
    before = said()
    phones[0].locator("input[type=range]").focus()
    phones[0].keyboard.press("ArrowRight")
    assert said() != before
    before, box = said(), phones[0].locator("svg.drag").bounding_box()
    phones[0].mouse.move(box["x"] + 150, box["y"] + 100)
    phones[0].mouse.down()
    phones[0].mouse.move(box["x"] + 220, box["y"] + 100, steps=3)
    phones[0].mouse.up()
    assert said() != before
    write(phones[1], RIGHT)
    shown(phones[1], "✓ Proved: this is a surrogate.")
    write(phones[2], OPEN)
    shown(phones[2], "? Undecided:")
    runs = "Runs next: phi = -theta^2/2"
    shown(teacher, runs)
    teacher.get_by_text("Show where").first.click()
    teacher.locator("svg.drag").wait_for()
    fits(teacher, *phones)
    teacher.reload()
    shown(teacher, runs)
    shown(teacher, "30 here")
    for word in ("✗ refuted", "✓ proved", "? undecided"):
        shown(teacher, word)


def play_rounds(teacher, phones, best):
    """The proved lines run; phones are switched off; two bits; one update of V is lost, and the bias stays."""

    def button(name):
        return teacher.get_by_role("button", name=name, exact=True)

    def at():
        said = [chart.get_attribute("aria-label") for chart in teacher.locator(".plots svg.chart").all()]
        return [float(re.search(r": ([\d.]+) after", text)[1]) for text in said]

    def begin(scene):
        teacher.get_by_role("button", name=re.compile(f"^Next: {scene}")).click()
        for page in phones:
            page.locator(".stack button").first.click()
            page.get_by_text("Lock my guess").click()
        teacher.locator("rect.bar").first.wait_for()
        button("Start").click()
        shown(teacher, "Round 0:")

    begin("Your surrogate runs")
    for t in (10, 20):
        button("10 rounds").click()
        shown(teacher, f"Round {t}: 29 of 29 heard")
    shown(teacher, "Runs: phi = -theta^2/2")
    assert at() == pytest.approx(best, rel=1e-2)
    shown(phones[0], "Round 20: you were heard.")
    teacher.reload()
    shown(teacher, "Round 20: 29 of 29 heard")

    begin("Phones are switched off")
    phones[0].get_by_text("Switch my phone off").click()
    shown(phones[0], "Switch my phone on again")
    button("20 rounds").click()
    shown(teacher, "Round 20:")
    shown(phones[0], "Round 20: you were not heard.")
    fits(teacher, *phones)
    phones[0].get_by_text("Switch my phone on again").click()

    begin("Two bits a number")
    button("20 rounds").click()
    shown(teacher, f"{20 * 29 * (64 + 2 * 2)} bits sent so far")

    begin("One update is lost")
    button("One round").click()
    shown(teacher, "Round 1:")
    button("One round, and lose V").click()
    for t in (22, 42, 62):
        button("20 rounds").click()
        shown(teacher, f"Round {t}:")
    found = re.search(r"= \(([^,]+), ([^)]+)\), and nothing moves it", teacher.inner_text("#left"))
    gap, theta = np.array([float(x.replace("−", "-")) for x in found.groups()]), np.array(at())
    # s stands still where 1/θ² = mean(z)/θ + gap, since the lines that run send s = z/θ
    assert 1 / theta - gap * theta == pytest.approx(1 / best, rel=1e-2)
    assert np.abs(1 / theta * best - 1).max() > 0.02
    fits(teacher, *phones)
