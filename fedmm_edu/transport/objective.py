"""What Algorithm 3 minimises, and over what: the objective of Section 7 with its signs.

With l_i(ω, θ) = E_{P_i} f_ω(X) + E_Q[⟨∇f_θ(Y), Y⟩ − f_ω(∇f_θ(Y))] and R_Q(ω, θ) = E_Q‖∇f_ω(∇f_θ(Y)) − Y‖², the dual
of the transport problem is min_ω max_θ Σ_i μ_i l_i: for fixed ω, l_i is greatest where ∇f_θ = ∇f_ω^c, and R_Q is 0
there. The paper prints a joint minimum of W = Σ_i μ_i l_i + λ R_Q (eqs. `two_icnn`, `two_icnn_fed`), which has no
lower bound unless every f_ω is β-strongly convex and λ > 1/(2β) (rows `ot-two-networks` and `ot-regulariser` of the
ledger). Hence two readings:

    "dual"      ω descends W_i = l_i + λ R_Q, θ descends −l_i + λ R_Q: both terms of the latter are least at the
                conjugate, for every λ ≥ 0. This is also what the benchmark's public solvers do.
    "printed"   both descend W; refused unless λ > 1/(2κ) for the strong convexity κ that the family guarantees.

In the dual reading (ω*, conjugate of ω*), ω* a solution of the dual, is an equilibrium: R_Q is least there, so neither
gradient depends on λ, and that of ω vanishes by Danskin's theorem. λ weighs how fast the two networks become each
other's inverse, and makes the clients' objective bounded: for λ = 0 it is linear in f_ω (row `ot-client-step`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Literal, Protocol

import numpy as np
import torch
from torch import Tensor

from fedmm_edu.arrays import Array, as_array
from fedmm_edu.errors import InvalidInput, in_interval
from fedmm_edu.transport.derivatives import NetworkAt
from fedmm_edu.transport.network import ICNN


def default_device() -> str:
    """ "cuda" where PyTorch finds a GPU, else "cpu"."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def array(x: Tensor) -> Array:
    """A tensor of any device as an array in double precision."""
    return x.cpu().double().numpy()


class UnboundedObjective(UserWarning):
    """Many steps are asked for on an objective that has no lower bound."""


class Potentials(Protocol):
    """A family of convex potentials f_ω on ℝ^d; parameters (..., P) are stacks of them, as in `ICNN`."""

    @property
    def d(self) -> int:
        """The dimension of the points."""
        ...

    @property
    def size(self) -> int:
        """P, the number of parameters."""
        ...

    @property
    def kappa(self) -> float:
        """Strong convexity that every member has."""
        ...

    def value(self, flat: Tensor, x: Tensor) -> Tensor:
        """f(x), shape (..., b), up to a constant."""
        ...

    def gradient(self, flat: Tensor, x: Tensor) -> Tensor:
        """∇f(x), shape (..., b, d)."""
        ...

    def project(self, flat: Tensor) -> Tensor:
        """The nearest parameters for which f is convex."""
        ...


@dataclass(frozen=True, eq=False)
class TransportProblem:
    """Potentials f_ω, f_θ of one family, the public sample `target` of Q, shape (N_Q, d), λ and the reading.

    Networks are evaluated in `dtype` on `device`, a name that PyTorch knows (by default a GPU where there is one); what
    is sent and kept stays in double precision on the processor. On another device numbers differ by rounding; so they
    do with `derivatives="closed"`, the same derivatives of an `ICNN` in fewer and larger products, without a graph.

    It is no `Surrogate`: Section 7 leaves MM-1 and MM-2. What the loop of FedMM asks of it are the sizes, `loss` and
    `g`, whose sum is W(ω, θ): the parameter θ of the loop is (ω, θ) here, of length 2 P.
    """

    by_products: ClassVar[bool] = False
    remembers: ClassVar[bool] = False
    potentials: Potentials
    target: Array
    lam: float = 0.0
    reading: Literal["dual", "printed"] = "dual"
    dtype: torch.dtype = torch.float32
    device: str = field(default_factory=default_device)
    derivatives: Literal["autograd", "closed"] = "autograd"

    def __post_init__(self) -> None:
        as_array("target", self.target, shape=(None, self.potentials.d))
        in_interval("lam", self.lam, low=0.0, high=np.inf)
        if self.reading not in ("dual", "printed"):
            raise InvalidInput(f"reading = {self.reading!r}: choose 'dual' or 'printed'.")
        if self.derivatives not in ("autograd", "closed"):
            raise InvalidInput(f"derivatives = {self.derivatives!r}: choose 'autograd' or 'closed'.")
        if self.derivatives == "closed" and not isinstance(self.potentials, ICNN):
            kind = type(self.potentials).__name__
            raise InvalidInput(f"derivatives = 'closed' with {kind}: they are known of an ICNN; choose 'autograd'.")
        try:
            torch.device(self.device)
        except RuntimeError as error:
            raise InvalidInput(f"device = {self.device!r}: name one that PyTorch knows, as 'cpu' or 'cuda'.") from error
        if self.reading == "printed" and 2.0 * self.lam * self.potentials.kappa <= 1.0:
            raise InvalidInput(
                f"reading = 'printed' with λ = {self.lam}: the joint minimum of (33) has no lower bound unless "
                f"λ > 1/(2κ), and the family guarantees κ = {self.potentials.kappa}. Use reading='dual', or a larger "
                "λ or κ (row ot-regulariser of the ledger)."
            )

    @property
    def q(self) -> int:
        """Length of what clients send about ω."""
        return self.potentials.size

    @property
    def d(self) -> int:
        """Length of (ω, θ)."""
        return 2 * self.potentials.size

    def tensor(self, x: Array) -> Tensor:
        """An array in the precision, and on the device, of the computation."""
        return torch.tensor(x, dtype=self.dtype, device=self.device)

    def for_clients(self, networks: Tensor, m: int) -> Tensor:
        """The networks, shape (parts, P), with which m clients begin: (m, parts, P), or one for all in closed form.

        Then products are those of one large batch.
        """
        return networks if self.derivatives == "closed" else networks.expand(m, -1, -1)

    def split(self, theta: Array) -> tuple[Array, Array]:
        """ω and θ."""
        return theta[: self.q], theta[self.q :]

    def loss(self, z: Array, theta: Array) -> Array:
        """f_ω of each sample of P: the part of W that clients hold. Shape (N,)."""
        omega, _ = self.split(theta)
        with torch.no_grad():
            return array(self.potentials.value(self.tensor(omega), self.tensor(z)))

    def g(self, theta: Array) -> float:
        """E_Q[⟨∇f_θ(Y), Y⟩ − f_ω(∇f_θ(Y))] + λ R_Q over the whole target sample: the part of W that is public."""
        omega, conjugate = map(self.tensor, self.split(theta))
        with torch.no_grad():
            y = self.tensor(self.target)
            x = self.potentials.gradient(conjugate, y)
            dual = ((x * y).sum(-1) - self.potentials.value(omega, x)).double().mean()
            cycle = (self.potentials.gradient(omega, x) - y).square().sum(-1).double().mean()
        return float(dual + self.lam * cycle)

    def mean_S_bars(self, *_) -> Array:
        """Refused: exact surrogates do not exist here."""
        raise InvalidInput("the best response of a network has no closed form: start with V = 'zero' or an array.")

    def omega_gradient(self, omega: Tensor, theta: Tensor, x: Tensor, y: Tensor) -> Tensor:
        """∇_ω W_i for stacks ω (..., P) on batches x, y of P_i and Q, shape (..., b, d), at fixed θ."""
        if self.derivatives == "closed":
            return self._closed_omega_gradient(omega, theta, x, y)
        b = x.shape[-2]
        with torch.no_grad():
            points = torch.cat([x, self.potentials.gradient(theta, y)], dim=-2)
        weights = omega.detach().requires_grad_()
        with torch.enable_grad():
            values = self.potentials.value(weights, points)
            total = (values[..., :b].sum() - values[..., b:].sum()) / b
            if self.lam > 0.0:
                residual = self.potentials.gradient(weights, points[..., b:, :]) - y
                total = total + self.lam * residual.square().sum() / b
            return torch.autograd.grad(total, weights)[0]

    def theta_gradient(self, omega: Tensor, theta: Tensor, y: Tensor) -> Tensor:
        """The gradient in θ of ∓l_i + λ R_Q (− dual, + printed) on batches y of Q, shape (..., b, d), at fixed ω.

        With x = ∇f_θ(y) and r = ∇f_ω(x) − y it is (∂x/∂θ)ᵀ(±r + 2λ ∇²f_ω(x) r)/b: one pass through ∇f_θ.
        """
        if self.derivatives == "closed":
            return self._closed_theta_gradient(omega, theta, y)
        weights = theta.detach().requires_grad_()
        with torch.enable_grad():
            x = self.potentials.gradient(weights, y)
            at = x.detach().requires_grad_(self.lam > 0.0)
            residual = self.potentials.gradient(omega, at) - y
            pull = residual.detach() if self.reading == "dual" else -residual.detach()
            if self.lam > 0.0:  # the Hessian is symmetric: its product with r is one backward pass
                pull = pull + 2.0 * self.lam * torch.autograd.grad(residual, at, residual.detach())[0]
            return torch.autograd.grad(x, weights, pull / y.shape[-2])[0]

    @torch.inference_mode()
    def _closed_omega_gradient(self, omega: Tensor, theta: Tensor, x: Tensor, y: Tensor) -> Tensor:
        network, b = self._network, x.shape[-2]
        at = NetworkAt(network, omega, NetworkAt(network, theta, y).gradient())
        residual = (at.gradient() - y).mul_(2.0 * self.lam / b) if self.lam > 0.0 else None
        return NetworkAt(network, omega, x).slope(1.0 / b) + at.slope(-1.0 / b, residual)

    @torch.inference_mode()
    def _closed_theta_gradient(self, omega: Tensor, theta: Tensor, y: Tensor) -> Tensor:
        network = self._network
        at = NetworkAt(network, theta, y)
        image = NetworkAt(network, omega, at.gradient())
        residual = image.gradient() - y
        pull = residual if self.reading == "dual" else -residual
        if self.lam > 0.0:
            pull = pull + 2.0 * self.lam * image.hessian(residual)
        return at.slope(0.0, pull / y.shape[-2])

    @property
    def _network(self) -> ICNN:
        """The potentials, of which the derivatives are known."""
        assert isinstance(self.potentials, ICNN)
        return self.potentials
