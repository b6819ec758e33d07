"""The three-layer dense input-convex network of the continuous Wasserstein-2 benchmark (Korotin et al., 2021).

With quadratic forms q_k(x) = Σ_r (x A_{k,r})² + x W_k + b_k, coordinate by coordinate,

    o₀ = q₀(x),   o₁ = celu(o₀ C₁ + q₁(x)),   o₂ = celu(o₁ C₂ + q₂(x)),   f(x) = ⟨v, o₂⟩ + (κ/2)‖x‖²,

which is convex in x, and strongly so with modulus κ, when C₁, C₂, v ≥ 0: celu is convex and increasing. The
parameters of one network are one flat vector; a stack of them, shape (..., P), is a batch of networks, and points
(..., b, d) are then evaluated network by network in one call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import torch
from torch import Tensor
from torch.nn.functional import celu

from fedmm_edu.errors import InvalidInput, as_count, in_interval


@dataclass(frozen=True)
class ICNN:
    """The shape of a network on ℝ^d: three hidden `widths`, `rank` of the quadratic forms, strong convexity κ."""

    d: int
    widths: tuple[int, int, int]
    rank: int = 1
    kappa: float = 1e-4

    @staticmethod
    def of_benchmark(d: int, kappa: float = 1e-4) -> ICNN:
        """The widths of the benchmark: max(2d, 64), max(2d, 64), max(d, 32)."""
        return ICNN(d, (max(2 * d, 64), max(2 * d, 64), max(d, 32)), kappa=kappa)

    def __post_init__(self) -> None:
        for name, value in (
            ("d", self.d),
            ("rank", self.rank),
            *((f"widths[{k}]", w) for k, w in enumerate(self.widths)),
        ):
            as_count(name, value)
        in_interval("kappa", self.kappa, low=0.0, high=float("inf"))

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The parameters by name, in the order of the flat vector."""
        shapes: dict[str, tuple[int, ...]] = {}
        for k, width in enumerate(self.widths):
            shapes |= {f"A{k}": (self.rank, self.d, width), f"W{k}": (self.d, width), f"b{k}": (width,)}
        first, second, third = self.widths
        return shapes | {"C1": (first, second), "C2": (second, third), "v": (third,)}

    @property
    def size(self) -> int:
        """P, the number of parameters."""
        return sum(map(prod, self.shapes.values()))

    def unpack(self, flat: Tensor) -> dict[str, Tensor]:
        """The parameters by name: views of `flat`, shape (..., P)."""
        if flat.shape[-1] != self.size:
            raise InvalidInput(f"a network of shape {self} has {self.size} parameters, got {flat.shape[-1]}.")
        parts = flat.split([prod(shape) for shape in self.shapes.values()], dim=-1)
        return {
            name: part.reshape(*flat.shape[:-1], *shape)
            for (name, shape), part in zip(self.shapes.items(), parts, strict=True)
        }

    def pack(self, parts: dict[str, Tensor]) -> Tensor:
        """The inverse of `unpack` for one network."""
        return torch.cat([parts[name].reshape(-1) for name in self.shapes])

    @cached_property
    def nonnegative(self) -> Tensor:
        """Which parameters must be ≥ 0 for the network to be convex: a mask of shape (P,)."""
        return torch.cat([torch.full((prod(s),), name in ("C1", "C2", "v")) for name, s in self.shapes.items()])

    def project(self, flat: Tensor) -> Tensor:
        """The nearest feasible parameters: negative hidden weights become 0."""
        return torch.where(self.nonnegative.to(flat.device), flat.clamp(min=0.0), flat)

    def initial(self, generator: torch.Generator, dtype: torch.dtype = torch.float32) -> Tensor:
        """Random feasible parameters of moderate size, to be pretrained."""
        parts = {}
        for name, shape in self.shapes.items():
            spread = torch.randn(shape, generator=generator, dtype=dtype)
            fan_in = shape[-2:][0]
            parts[name] = spread.abs() / fan_in if name in ("C1", "C2", "v") else spread / (2 * fan_in**0.5)
        return self.pack(parts)

    def value(self, flat: Tensor, x: Tensor) -> Tensor:
        """f(x): shape (..., b) for parameters (..., P) and points (..., b, d)."""
        p = self.unpack(flat)
        o = self._form(p, 0, x)[0]
        for k in (1, 2):
            o = celu(o @ p[f"C{k}"] + self._form(p, k, x)[0])
        return (o * p["v"][..., None, :]).sum(-1) + 0.5 * self.kappa * (x * x).sum(-1)

    def gradient(self, flat: Tensor, x: Tensor) -> Tensor:
        """∇f(x), shape (..., b, d), in closed form: its derivatives cost one pass of autograd, not two."""
        p = self.unpack(flat)
        o, *forms = self._form(p, 0, x)
        passed = [forms]
        slopes = []
        for k in (1, 2):
            form, *inner = self._form(p, k, x)
            a = o @ p[f"C{k}"] + form
            o = celu(a)
            slopes.append(torch.exp(a.clamp(max=0.0)))  # celu'
            passed.append(inner)
        back = p["v"][..., None, :] * slopes[1]
        total = self.kappa * x + self._pull_back(p, 2, passed[2], back)
        back = (back @ p["C2"].mT) * slopes[0]
        total = total + self._pull_back(p, 1, passed[1], back)
        return total + self._pull_back(p, 0, passed[0], back @ p["C1"].mT)

    def _form(self, p: dict[str, Tensor], k: int, x: Tensor) -> Sequence[Tensor]:
        """q_k(x), shape (..., b, width), and the linear images x A_{k,r} of which it holds the squares."""
        images = [x @ p[f"A{k}"][..., r, :, :] for r in range(self.rank)]
        return sum(u * u for u in images) + x @ p[f"W{k}"] + p[f"b{k}"][..., None, :], *images

    def _pull_back(self, p: dict[str, Tensor], k: int, images: Sequence[Tensor], back: Tensor) -> Tensor:
        """Σ_j back_j ∇q_{k,j}(x)."""
        total = back @ p[f"W{k}"].mT
        for r, u in enumerate(images):
            total = total + (2.0 * u * back) @ p[f"A{k}"][..., r, :, :].mT
        return total


def died(network: ICNN, flat: Tensor) -> bool:
    """Whether the output weights, or a whole layer of hidden weights, are clamped to 0: f no longer depends on them."""
    parts = network.unpack(flat)
    return any(not parts[name].any() for name in ("C1", "C2", "v"))
