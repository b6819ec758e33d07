"""What a fitted model can say for itself: hypotheses, constants, step, theorem and bound, messages, ledger rows.

Everything is computed from the task, `theory` and the run. Rows of a ledger are looked up when the certificate is read,
in the ledger that is announced: what was "given" is "proved" where its rows are.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

import numpy as np

from fedmm_edu.algorithms.step_sizes import StepSize
from fedmm_edu.announced import Claim, Ledger, Support, ledger
from fedmm_edu.errors import BeyondTheorem, MissingExtra
from fedmm_edu.estimators.channel import Channel
from fedmm_edu.estimators.fitting import FitTask, Trace, settings
from fedmm_edu.estimators.known import known_of, met
from fedmm_edu.estimators.rows import ClientRows
from fedmm_edu.estimators.theorems import Outcome, beyond, outcomes
from fedmm_edu.text.tables import table, terminal_width
from fedmm_edu.theory.hypotheses import Assumption, Problem

WORDS = {"proved": "holds (proved)", "given": "holds (given)", "fails": "fails", "unknown": "not known"}
Pairs = tuple[tuple[str, str], ...]
"""A name and what is said of it, line by line."""


@dataclass(frozen=True)
class FitCertificate:
    """The certificate of a fitted model. `print` it, or put `to_html()` on a page.

    data, constants, step, run: names and values in words; hypotheses: MM-1, MM-2 and A1 to A8, each with its status and
    reason on this data; theorems: what each says of this run; warnings: the sentences of `BeyondTheorem`; meets: what
    rows of a ledger ask (`announced.Requirement`) and was found to hold of this fit; rests: rows that it rests on
    besides, each after what it is about.
    """

    model: str
    example: str
    data: Pairs
    hypotheses: tuple[Assumption, ...]
    constants: Pairs
    step: Pairs
    theorems: tuple[Outcome, ...]
    run: Pairs
    warnings: tuple[str, ...]
    meets: tuple[str, ...]
    rests: Pairs = ()
    beyond: ClassVar[type[Warning]] = BeyondTheorem

    @property
    def theorem(self) -> Outcome | None:
        """The first theorem that covers this run, if one does."""
        return next((found for found in self.theorems if found.applies), None)

    def rows(self, of: Ledger | None = None) -> Mapping[str, Sequence[str]]:
        """Which rows of the ledger each part rests on, by their ids; empty where no ledger is announced.

        Only rows that are proved and cover this model as it is: a refuted one counts in its amended form, and only
        where what that asks was found to hold.
        """
        found = _announced() if of is None else of
        if found is None:
            return {}
        claims = found.claims()
        needed = {
            name: tuple(support.row for support in supports)
            for name, supports in found.supports(self.example).items()
            if all(self._covers(support, claims[support.row]) for support in supports)
        }
        if self.theorem is not None and self.theorem.row:
            needed[self.theorem.theorem] = (self.theorem.row,)
        return needed | {about: (row,) for about, row in self.rests}

    def _covers(self, support: Support, claim: Claim) -> bool:
        """Whether a row is proved of a class of models to which this one was found to belong."""
        proved = claim.expected == "proved" or (claim.amended is not None and len(support.needs) > 0)
        return proved and set(support.needs) <= set(self.meets)

    def judged(self, of: Ledger | None = None) -> tuple[Assumption, ...]:
        """The hypotheses; as proved also those that are given and that rows of the ledger prove of this model."""
        found = _announced() if of is None else of
        if found is None:
            return self.hypotheses
        rows, claims, out = self.rows(found), found.claims(), []
        needs = {support.row: support.needs for part in found.supports(self.example).values() for support in part}
        for h in self.hypotheses:
            if h.status == "given" and h.name in rows:
                named = [_named(claims[row], needs[row]) for row in rows[h.name]]
                h = replace(h, status="proved", why=f"{h.why} ({'; '.join(named)})")
            out.append(h)
        return tuple(out)

    def __str__(self) -> str:
        columns, parts = min(terminal_width(), 120), [f"certificate of {self.model}"]
        for title, header, rows in self._tables():
            shares = {2: (1, 3), 3: (3, 4, 14), 5: (4, 5, 3, 3, 10)}[len(header)]
            parts.append(f"\n{title}\n" + table(header, rows, columns=columns, shares=shares))
        return "\n".join([*parts, "", *(f"WARNING: {said}" for said in self.warnings), self.summary])

    @property
    def summary(self) -> str:
        """One sentence: which theorem covers the run, with its bound; or that none does."""
        found = self.theorem
        if found is None:
            return "No theorem here covers this run; the table says why for each."
        rests = f", and rests on {', '.join(found.rests_on)}, which are not known" if found.rests_on else ""
        return f"{found.theorem}: {found.measure} is at most {_short(found.bound)}{rests}."

    def to_html(self) -> str:
        """The same as a fragment of HTML that needs nothing else: a model card."""
        text = html.escape
        parts = [f"<article class='certificate'><h2>Certificate of {text(self.model)}</h2>"]
        parts += [f"<p><strong>Warning:</strong> {text(said)}</p>" for said in self.warnings]
        parts.append(f"<p>{text(self.summary)}</p>")
        for title, header, rows in self._tables():
            head = "".join(f"<th scope='col'>{text(cell)}</th>" for cell in header)
            body = "".join("<tr>" + "".join(f"<td>{text(cell)}</td>" for cell in row) + "</tr>" for row in rows)
            parts.append(f"<h3>{text(title)}</h3><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
        return "\n".join([*parts, "</article>"])

    def _repr_html_(self) -> str:
        return self.to_html()

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for a file."""
        return asdict(self)

    @staticmethod
    def of_dict(values: Mapping[str, Any]) -> FitCertificate:
        """The certificate whose `as_dict` this is."""
        pairs = {name: tuple((a, b) for a, b in values[name]) for name in ("data", "constants", "step", "run", "rests")}
        return FitCertificate(
            model=values["model"], example=values["example"], warnings=tuple(values["warnings"]),
            meets=tuple(values["meets"]), hypotheses=tuple(Assumption(**row) for row in values["hypotheses"]),
            theorems=tuple(Outcome(**{**row, "rests_on": tuple(row["rests_on"])}) for row in values["theorems"]),
            **pairs,
        )  # fmt: skip

    def _tables(self) -> list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
        pair = ("what", "value")
        found: list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]] = [
            ("Data and run", pair, [*self.data, *self.run]),
            ("Hypotheses", ("name", "status", "reason on this data"),
             [(h.name, WORDS[h.status] + ("" if h.needed else ", not needed"), h.why) for h in self.judged()]),
            ("Constants", pair, list(self.constants)),
            ("Step", pair, list(self.step)),
            ("Theorems", ("theorem", "what it bounds", "admits γ up to", "bound", "on this run"),
             [(o.theorem, o.measure, _short(o.admits), _short(o.bound), _verdict(o)) for o in self.theorems]),
        ]  # fmt: skip
        if rows := self.rows():
            found.append(("Rows of the ledger", pair, [(name, ", ".join(ids)) for name, ids in rows.items()]))
        return found


def certify(
    model: str, task: FitTask, channel: Channel, trace: Trace, rows: ClientRows, gamma: StepSize
) -> FitCertificate:
    """The certificate of a run."""
    G = 0.0 if channel.exact else None if channel.chosen else _variates(task, channel, trace)
    problem = known_of(task, channel, float(trace.objective[0]), G)
    if channel.chosen is None:
        found = outcomes(problem, task, channel, gamma, trace)
        said = beyond(problem, found, gamma, trace)
    else:
        found, said = [Outcome("Theorem 1", "mean of E‖h(Ŝ_t)‖²", channel.chosen.says)], [channel.chosen.says]
    sizes, taken, rise = rows.sizes, trace.taken, float(np.diff(trace.objective).max(initial=0.0))
    data = (
        ("rows", f"{len(rows.x)} of {rows.x.shape[1]} columns"),
        ("clients", f"{len(rows)}, with {sizes.min()} to {sizes.max()} rows each"),
        ("weights of rows", "equal" if rows.weights is None else "given"),
        *task.notes,
    )
    cost = (
        ("rounds", f"{trace.rounds}, {'converged' if trace.converged else 'not converged'}"),
        ("sent before the rounds", f"{rows.sent.bits} bits to the server: sizes, means and starts, as exact numbers"),
        ("sent to the server", f"{trace.bits_up} bits, {channel.compressor!r}"),
        ("sent to the clients", f"{trace.bits_down} bits"),
        ("took part", f"{channel.participation!r}: each client in {taken.min()} to {taken.max()} rounds"),
        ("objective W", f"{trace.objective[0]:.6g} at the start, {trace.objective[-1]:.6g} at the end"),
        (
            "largest rise of W",
            f"{max(rise, 0.0):.2g} between recorded rounds",
        ),
    )
    if channel.secure:
        told = "over nodes, the server learns the sum of a round's messages alone; nothing before the rounds is masked"
        cost += (("secure sum", told),)
    if channel.chosen is not None:
        cost = (("algorithm", f"{channel.chosen.relative.name}, {channel.chosen.relative.source}"), *cost)
    constants = [(name, f"{_short(n.value)}: {n.how or 'no formula'}") for name, n in problem.numbers.items()]
    for name, value in trace.steepest.items():
        if value > 0.0:
            constants.append((f"{name} on the visited 𝒮", f"at least {value:.4g}: measured between visited points"))
    if channel.exact and len(trace.moved):
        constants.append(("sup‖h‖ on the visited 𝒮", f"{trace.moved.max():.4g}: the largest of all rounds"))
    constants.append(("Δ = W(T(Ŝ_0)) − min W", f"{_short(problem.gap.value)}: {problem.gap.how}"))
    if task.sigma > 0.0:
        cost += (("what the noise costs", _price(problem, task, channel, gamma, trace, found)),)
    admitted = [o for o in found if o.admits]
    step = (
        ("γ used", "a rule of t" if callable(gamma) else f"{float(gamma):.6g}"),
        ("γ admitted", "; ".join(f"{o.theorem}: {_short(o.admits)}" for o in admitted) or "no theorem applies"),
        ("α of the control variates", f"{channel.alpha:.6g}, at most 1/(1 + ω_p) = {1 / (1 + channel.omega_p):.6g}"),
        ("ω_p", f"{channel.omega_p:.6g} (ω = {channel.omega:.6g}, p = {channel.p:.6g})"),
    )
    return FitCertificate(
        model,
        task.example,
        data,
        problem.hypotheses,
        tuple(constants),
        step,
        tuple(found),
        cost,
        tuple(said),
        tuple(sorted(met(task))),
        task.rests,
    )


def _price(problem: Problem, task: FitTask, channel: Channel, gamma: StepSize, trace: Trace, found: list[Outcome]):
    """What noise costs of the bound of the theorem that covers the run, in words."""
    free = replace(problem, numbers={**problem.numbers, "sigma": replace(problem.numbers["sigma"], value=0.0)})
    without = outcomes(free, task, channel, gamma, trace)
    for a, b in zip(found, without, strict=True):
        if a.applies and a.bound is not None and b.bound is not None:
            return f"{_short(a.bound - b.bound)} of the bound {_short(a.bound)}: {a.theorem}, the {a.measure}"
    return "not known: no theorem here covers the run"


def _variates(task: FitTask, channel: Channel, trace: Trace) -> float:
    """G₀ = Σ μ_i²‖h_i(Ŝ_0)‖², the control variates starting at zero."""
    fed = settings(task, channel, 1.0, 0)
    h = fed.mean_fields(task.clients, trace.start, task.problem.T(trace.start))
    return float(task.clients.mu**2 @ (h**2).sum(axis=1))


def _named(claim: Claim, needs: Sequence[str]) -> str:
    """A row in words: how it is read, and what it asks of the model."""
    form = ", amended" if claim.amended is not None else ""
    return f"row {claim.id}{form}" + (f", for {' and '.join(needs)}" if needs else "")


def _announced() -> Ledger | None:
    try:
        return ledger()
    except MissingExtra:
        return None


def _verdict(found: Outcome) -> str:
    if not found.applies:
        return f"does not cover it: {found.why_not}"
    seen = "" if found.observed is None else f"; seen {_short(found.observed)}"
    rests = f"; rests on {', '.join(found.rests_on)}, not known" if found.rests_on else ""
    return f"covers it{seen}{rests}"


def _short(value: float | None) -> str:
    if value is None:
        return "—"
    return "∞" if math.isinf(value) else f"{value:.4g}"
