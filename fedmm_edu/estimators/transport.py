"""Transport maps over clients: FedMM-OT (Algorithm 3) between the rows of all clients and a public sample."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from fedmm_edu.algorithms import Adam, FedMM, State, run
from fedmm_edu.arrays import Array
from fedmm_edu.errors import Diverged, InvalidInput, as_count, in_interval, needs
from fedmm_edu.estimators.base import TableReader
from fedmm_edu.estimators.certificate import FitCertificate
from fedmm_edu.estimators.channel import Channel
from fedmm_edu.estimators.rows import ClientRows, Standard
from fedmm_edu.estimators.theorems import Outcome
from fedmm_edu.federation import Compressor, Participation
from fedmm_edu.text.tables import Progress
from fedmm_edu.theory.hypotheses import Assumption

with needs("transport", "FederatedTransportMap"):
    import torch

    from fedmm_edu.transport import ICNN, TransportProblem, as_map, fedmm_ot, health, one_thread, pretrain

NORMAL = 4096
"""Rows of the standard normal sample that stands for Q where none is given."""
MOST = 2048
"""Rows of each sample that `score` compares."""
NO_SURROGATE = "Algorithm 3 has no surrogate: nothing that majorises the loss is linear in what clients send"


@dataclass(eq=False, repr=False)
class FederatedTransportMap(OneToOneFeatureMixin, TransformerMixin, TableReader):
    """The map m = ∇f_ω that carries the rows of all clients (P) to a public sample (Q) at the least mean ‖x − m(x)‖².

    FedMM-OT (Algorithm 3) with two convex networks: clients move f_ω, the server f_θ, whose gradient is the way back.
    Both samples are first moved to their mean and divided by one scale each, which leaves an optimal map optimal; both
    networks begin at the identity there.

    widths: of the three hidden layers, by default the benchmark's for as many columns; kappa: strong convexity. lam: λ
    of R_Q. step: the server's γ of Adam on H; local_rate, local_steps, batch: of a client's steps, each on so many rows
    of its own and of Q; server_rate, server_steps: of f_θ. pretraining: steps that bring the start to the identity.
    max_iter: rounds, all of which are made. callback: told the round t, it ends the fit by answering True. compress,
    participation, verbose: as of the other estimators. random_state: every draw follows from it.

    After `fit`: omega_, theta_ (the networks), mean_cost_ = mean‖x − m(x)‖² and cycle_ = mean‖m(m⁻¹(y)) − y‖² in units
    of the tables, n_iter_, n_clients_, clients_, certificate_.
    """

    widths: tuple[int, int, int] | None = None
    _: KW_ONLY
    lam: float = 0.0
    kappa: float = 1e-4
    step: float = 3e-3
    local_rate: float = 0.05
    local_steps: int = 1
    batch: int = 128
    server_rate: float = 1e-3
    server_steps: int = 10
    pretraining: int = 200
    max_iter: int = 300
    compress: Compressor | int | None = None
    participation: Participation | float | None = None
    callback: Callable[[int], bool | None] | None = None
    verbose: int = 0
    random_state: Any = 0

    def fit(self, X: Any, y: Any = None, clients: Any = None) -> Self:
        """Fit a map from the rows X of all clients to the public sample y.

        X: as of the other estimators. y: rows of Q, a table of the same columns (matched by name) with as many rows as
        it likes; None: a standard normal sample, so that `transform` makes rows normal and `inverse_transform` makes
        rows of normal ones.
        """
        with one_thread():
            return self._fit(self._read(X, None, clients, None), y)

    def _fit(self, rows: ClientRows, y: Any) -> Self:
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        here = Standard.of(rows).common()
        self.center_, self.scale_ = here.mean, here.scale
        target = self._target(y, seed)
        there = Standard.of(ClientRows.of(target, None, np.zeros(len(target), np.int64), None)).common()
        self.target_center_, self.target_scale_ = there.mean, there.scale
        x = here.to(rows.x)
        fed, channel, start = self._settings(rows, x, there.to(target), seed)
        state, objective = self._run(fed, fed.init(start))
        omega, theta = fed.problem.split(fed.theta(state))  # type: ignore[attr-defined]
        self.omega_, self.theta_, self.n_iter_ = omega, theta, state.t
        self.n_clients_, self.clients_ = len(rows), rows.names
        self.mean_cost_ = float(((rows.x - self._forward(rows.x)) ** 2).sum(axis=1).mean())
        self.cycle_ = float(((self._forward(self._back(target)) - target) ** 2).sum(axis=1).mean())
        self.certificate_ = self._certify(fed, channel, state, rows, len(target), objective)
        if (found := health(fed, state)) != "alive":
            said = f"{type(self).__name__}: {found}, a layer's weights being 0: choose a smaller step or server_rate."
            warnings.warn(said, ConvergenceWarning, stacklevel=3)
        return self

    def transform(self, X: Any) -> Array:
        """m(x) of each row: shape (N, p)."""
        return self._forward(self._new(X))

    def inverse_transform(self, X: Any) -> Array:
        """∇f_θ of each row of Q, which the fit drew near m⁻¹: shape (N, p); `cycle_` says how near."""
        return self._back(self._new(X))

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the energy distance 2E‖m − y‖ − E‖m − m'‖ − E‖y − y'‖ of m(X) and y: 0 where their laws are equal.

        Of the first rows of each, some thousands; y as in `fit`.
        """
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        moved, target = self.transform(X)[:MOST], self._target(y, seed)[:MOST]
        scale = self.target_scale_
        a, b = (moved - self.target_center_) / scale, (target - self.target_center_) / scale
        return float(cdist(a, a).mean() + cdist(b, b).mean() - 2.0 * cdist(a, b).mean()) * float(scale[0])

    def _forward(self, x: Array) -> Array:
        return self._moved(self.omega_, (x - self.center_) / self.scale_) * self.target_scale_ + self.target_center_

    def _back(self, y: Array) -> Array:
        moved = self._moved(self.theta_, (y - self.target_center_) / self.target_scale_)
        return moved * self.scale_ + self.center_

    def _moved(self, flat: Array, x: Array) -> Array:
        return as_map(self._network(), flat, torch.float64, "cpu")(x)

    def _network(self) -> ICNN:
        p = len(self.center_)
        widths = ICNN.of_benchmark(p).widths if self.widths is None else tuple(self.widths)
        if len(widths) != 3:
            raise InvalidInput(f"widths = {self.widths!r}: give those of three hidden layers.")
        return ICNN(p, widths, kappa=self.kappa)

    def _target(self, y: Any, seed: int) -> Array:
        """The sample of Q, shape (M, p)."""
        if y is None:
            return np.random.default_rng(seed).standard_normal((NORMAL, len(self.center_)))
        if np.ndim(y) != 2:
            raise InvalidInput(
                f"y has {np.ndim(y)} dimensions: give the rows of Q, a table with the columns of X; None stands for a "
                "standard normal sample."
            )
        names = getattr(self, "feature_names_in_", None)
        if names is not None and np.shape(y)[1] == len(names):
            named = isinstance(y, pd.DataFrame)
            y = pd.DataFrame(y, columns=None if named and set(y.columns) != set(names) else names)
        return self._numbers(y, None, reset=False)[0]

    def _settings(self, rows: ClientRows, x: Array, target: Array, seed: int) -> tuple[FedMM, Channel, Array]:
        """The run in standard units, its channel, and ω_0 = θ_0, near the identity."""
        as_count("max_iter", self.max_iter)
        network = self._network()
        start = pretrain(network, seed=seed, steps=as_count("pretraining", self.pretraining))
        problem = TransportProblem(network, target, self.lam, dtype=torch.float64, device="cpu")
        channel = Channel.of(self.compress, self.participation, len(rows), problem.q)
        gamma = in_interval("step", self.step, low=0.0, high=1.0, open_low=True)
        fed = fedmm_ot(
            problem, rows.clients(x), theta0=start, rate=self.local_rate, K=self.local_steps, b=self.batch,
            server_steps=self.server_steps, server_rate=self.server_rate, server_batch=self.batch, gamma=gamma,
            server=Adam(beta2=0.999, tau=1e-8, bias_correction=True), participation=channel.participation,
            compressor=channel.compressor, alpha=channel.alpha, seed=seed,
        )  # fmt: skip
        return fed, channel, start

    def _run(self, fed: FedMM, start: State) -> tuple[State, Array]:
        bar = Progress(self.max_iter, sys.stderr) if self.verbose else None

        def told(fed: FedMM, before: State, after: State) -> bool:
            if bar is not None:
                bar.step(type(self).__name__)
            return self.callback is not None and bool(self.callback(after.t))

        columns = {"objective": lambda fed, before, after: fed.clients.objective(fed.problem, fed.theta(after))}
        try:
            state, history = run(fed, start, self.max_iter, columns=columns, every={"objective": [0]}, until=told)
        except Diverged as error:
            raise Diverged(f"{type(self).__name__}: {error} Or choose a smaller step, or server_rate.") from error
        return state, history.objective[[0, -1]]

    def _certify(
        self, fed: FedMM, channel: Channel, state: State, rows: ClientRows, target: int, objective: Array
    ) -> FitCertificate:  # fmt: skip
        sizes, network = rows.sizes, self._network()
        data = (
            ("rows", f"{len(rows.x)} of {rows.x.shape[1]} columns"),
            ("clients", f"{len(rows)}, with {sizes.min()} to {sizes.max()} rows each"),
            ("public sample", f"{target} rows"),
            ("networks", f"two of widths {network.widths}, {network.size} numbers each, κ = {network.kappa:g}"),
        )
        cost = (
            ("algorithm", "FedMM-OT, Algorithm 3 in the dual reading, Adam at the server"),
            ("rounds", f"{state.t}, as many as were asked for"),
            ("sent before the rounds", f"{rows.sent.bits} bits to the server: sizes and means, as exact numbers"),
            ("sent to the server", f"{state.bits_up} bits, {channel.compressor!r}"),
            ("sent to the clients", f"{state.bits_down} bits"),
            ("took part", f"{channel.participation!r}"),
            ("W(ω, θ)", f"{objective[0]:.6g} at the start, {objective[-1]:.6g} at the end; no measure of quality"),
            ("mean ‖m(m⁻¹(y)) − y‖²", f"{self.cycle_:.4g}, in units of the table"),
        )
        why = "no constant of a network is known here"
        hypotheses = (
            Assumption("MM-1", "fails", NO_SURROGATE),
            Assumption("MM-2", "fails", f"{self.server_steps} steps of the server are no minimiser T(s)"),
            Assumption("A1", "given", "parameters whose hidden weights are ≥ 0 are a convex set; ω is projected on it"),
            Assumption("A2", "unknown", "W(T(s)) is not defined without MM-2"),
            Assumption("A3", "unknown", "steps on fresh batches; no bound of their variance is known"),
            *channel.rows(fed.problem.q, len(rows)),
            *(Assumption(name, "unknown", why) for name in ("A6(i)", "A6(ii)", "A7")),
            Assumption("A8", "given", "the projection is ‖·‖-nearest, and the space's own norm is ‖·‖"),
        )
        step = (
            ("γ used", f"{self.step:.6g}, of Adam on H"),
            ("γ admitted", "no theorem applies"),
            ("α of the control variates", f"{channel.alpha:.6g}, at most 1/(1 + ω_p)"),
        )
        none = Outcome("Theorem 1", "mean of E‖h(Ŝ_t)‖²", f"MM-1 fails: {NO_SURROGATE}")
        rests = (("the dual reading of (32)", "ot-two-networks"), ("one local step for λ = 0", "ot-client-step"))
        return FitCertificate(
            type(self).__name__, "transport", data, hypotheses, (), step, (none,), cost, (), (), rests
        )
