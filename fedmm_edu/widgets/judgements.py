"""Lessons 7 and 11: a model beside its verdicts and witnesses; a claim that is either a sum of squares or false."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache

import ipywidgets as widgets
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from fedmm_edu.figures.judgements import Young, draw_mm1, draw_mm2, draw_young, mm1_curves, mm2_curve
from fedmm_edu.figures.style import panels
from fedmm_edu.symbolic import Model, Verdict, Witness, check_model
from fedmm_edu.text.plain import plain
from fedmm_edu.widgets.live import MENU, WIDE, Live

Ends = tuple[float, float]
RATIONAL = re.compile(r"-?\d+(/\d+)?")
DRAWN = ("MM-1: tangent", "MM-1: majorizes", "MM-2: T minimizes")
"""Rows whose witness is a picture: loss and surrogate, or surrogate and T(s)."""
STEP = 0.05
"""Of the sliders for z, τ and s: their ends, and the first value 1, lie on its grid."""


class WitnessExplorer:
    """Models with one parameter, MM-1 and MM-2 drawn at a sample z, a point τ and a surrogate s that can be dragged.

    Choosing a model judges it, once, and moves the sliders to its witness where it has one. `failing` maps the rows
    of `check_model` that are refuted to their verdicts. `ends` gives each slider (z, tau, s) and θ its range.
    """

    def __init__(self, models: Mapping[str, Model], ends: Mapping[str, Ends]) -> None:
        self.models, self.ends = models, ends
        self.menu = widgets.Dropdown(options=list(models), description="model", **MENU)
        names = {"z": "sample z", "tau": "expansion point τ", "s": "surrogate s"}
        self.sliders = {
            key: widgets.FloatSlider(1.0, min=ends[key][0], max=ends[key][1], step=STEP, description=text, **WIDE)
            for key, text in names.items()
        }  # fmt: skip
        self._judge = cache(lambda name: check_model(self.models[name]))
        self.menu.observe(self._to_witness, names="value")
        self.live = Live(self._draw, self.menu, *self.sliders.values(), columns=2, width=4.7, height=3.8)
        self.view = self.live.view

    @property
    def model(self) -> Model:
        return self.models[self.menu.value]

    @property
    def failing(self) -> dict[str, Verdict]:
        return {row: v for row, v in self._judge(self.menu.value).items() if v.status == "refuted"}

    def _to_witness(self, change: object) -> None:
        """Move the sliders, without a picture for each: the menu's own change draws the last one."""
        for slider in self.sliders.values():
            slider.unobserve(self.live.redraw, names="value")
        for verdict in self.failing.values():
            for key, value in (verdict.witness.point if verdict.witness else {}).items():
                if key in self.sliders:
                    self.sliders[key].value = round(float(Fraction(value)) / STEP) * STEP  # and within its ends
        for slider in self.sliders.values():
            slider.observe(self.live.redraw, names="value")

    def _draw(self, left: Axes, right: Axes) -> str:
        at = {key: slider.value for key, slider in self.sliders.items()}
        theta = np.linspace(*self.ends["theta"], 300)
        draw_mm1(left, self.model, at, theta, at["tau"])
        draw_mm2(right, self.model, at, theta)
        for ax in (left, right):
            values = np.concatenate([line.get_ydata() for line in ax.lines])
            if np.isfinite(values).any():
                low, high = np.nanquantile(values, [0.02, 0.9])
                ax.set_ylim(low - 0.15 * (high - low), high + 0.35 * (high - low))
        return f"{self._sentence()}<br>{self._shown(at)}"

    def _sentence(self) -> str:
        if not self.failing:
            return "No row is refuted."
        return "Refuted: " + "<br>".join(f"<b>{row}</b>, at {says}" for row, says in witnesses(self.failing).items())

    def _shown(self, at: Mapping[str, float]) -> str:
        """Where the sliders stand, and T(s) there."""
        _, best, least = mm2_curve(self.model, at, [0.0])
        lowest = f"T(s) = {best:.3g}" if np.isfinite(least) else "no T(s)"
        return f"At z = {at['z']:.3g}, τ = {at['tau']:.3g}, s = {at['s']:.3g}: {lowest}."


def witnesses(found: Mapping[str, Verdict]) -> dict[str, str]:
    """The refuted rows of `check_model`, each with its witness in words: a point to put in, and what it gives."""
    return {row: _read(v.witness) for row, v in found.items() if v.status == "refuted" and v.witness}


@cache
def judged(model: Model, rows: tuple[str, ...]) -> Mapping[str, Verdict]:
    """`check_model`, once for each model of a reader's."""
    return check_model(model, rows=rows)


def all_proved(model: Model, rows: Sequence[str]) -> bool | None:
    """Whether `rows` of a reader's model are proved; None where one is neither that nor refuted."""
    found = {verdict.status for verdict in judged(model, tuple(rows)).values()}
    return False if "refuted" in found else True if found == {"proved"} else None


def counterexample(model: Model, rows: Sequence[str]) -> str:
    """What the checker finds against `rows` of a reader's model, in one sentence; "" where it refutes none."""
    found = witnesses(judged(model, tuple(rows)))
    return next((f"The checker refutes “{row}” at {says}" for row, says in found.items()), "")


def draw_failure(model: Model, rows: Sequence[str]) -> Figure | None:
    """The first of `rows` that is refuted, drawn at its witness; None where there is nothing to draw."""
    for row, verdict in judged(model, tuple(rows)).items():
        if verdict.status != "refuted" or verdict.witness is None:
            continue
        point = verdict.witness.point
        if row not in DRAWN or not all(map(RATIONAL.fullmatch, point.values())):
            continue
        at = {name: float(Fraction(value)) for name, value in point.items()}
        places = [at[name] for name in ("tau", "theta") if name in at]
        middle, width = float(np.mean(places or [0.0])), 2.0 + 1.5 * float(np.ptp(places or [0.0]))
        theta = np.linspace(middle - width, middle + width, 300)
        theta = theta[[bool(np.isfinite(value)) for value in mm1_curves(model, {"z": 1.0, "tau": 1.0, **at}, theta)[0]]]
        figure, (ax,) = panels(1, width=5.0, height=3.4)
        if row.startswith("MM-1"):
            draw_mm1(ax, model, {"z": 0.0, **at}, theta, at.get("tau", 1.0))
        else:
            draw_mm2(ax, model, at, theta)
        return figure
    return None


def _read(witness: Witness) -> str:
    point, values = (", ".join(f"{k} = {v}" for k, v in found.items()) for found in (witness.point, witness.values))
    return f"{point}: {plain(witness.says)}" + (f" [{values}]" if values else "")


class CertificateOrWitness:
    """‖a + b‖² ≤ (1 + η)‖a‖² + k‖b‖²: sliders for η and k, in quarters. `claim` is what they say, exactly."""

    def __init__(self) -> None:
        quarters = {"min": 0.25, "max": 4.0, "step": 0.25}
        self.eta = widgets.FloatSlider(1.0, description="η", **quarters, **WIDE)
        self.k = widgets.FloatSlider(1.5, description="k", **quarters, **WIDE)
        self.live = Live(self._draw, self.eta, self.k, width=6.5, height=3.8)
        self.view = self.live.view

    @property
    def claim(self) -> Young:
        return Young(Fraction(self.eta.value), Fraction(self.k.value))

    def _draw(self, ax: Axes) -> str:
        draw_young(ax, self.claim)
        verdict = self.claim.verdict()
        if verdict.witness is not None:
            return f"refuted: at a = {verdict.witness.point['a']}, b = 1, {verdict.witness.says}"
        eta, rest = self.claim.eta, self.claim.rest
        return f"proved: right − left = {eta}·‖a − b/({eta})‖² + {rest}·‖b‖², expanded exactly"
