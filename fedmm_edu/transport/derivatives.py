"""The derivatives that transport needs of a convex network, in closed form and in few, large products.

The linear images of all layers are one product x [A | W], the pull-backs another; there is no graph to record. With
u = x A, q = u² + x W + b, a_k = o_{k−1} C_k + q_k, o_k = celu(a_k), s_k = celu'(a_k) (see `network`), one sweep back
gives δ₂ = v s₂, δ₁ = s₁ (δ₂ C₂ᵀ), δ₀ = δ₁ C₁ᵀ, and ∇f(x) = κ x + [2 u δ | δ] [A | W]ᵀ. A second pair of sweeps, forward
along r and back, differentiates ⟨r, ∇f(x)⟩, which is the derivative of f along r: Pearlmutter (1994), "Fast exact
multiplication by the Hessian".
"""

from __future__ import annotations

from functools import cached_property

import torch
from torch import Tensor

from fedmm_edu.transport.network import ICNN


class NetworkAt:
    """f at points x, shape (..., b, d), for parameters `flat`, shape (P,) or (..., P): shared, or one for each batch.

    Shared parameters make one product of all batches; only gradients in the parameters are taken batch by batch.
    """

    def __init__(self, network: ICNN, flat: Tensor, x: Tensor) -> None:
        p = network.unpack(flat)
        self.network, self.x, self.C1, self.C2 = network, x, p["C1"], p["C2"]
        linear = [p[f"W{k}"] for k in range(3)]
        self.big = torch.cat([p[f"A{k}"][..., r, :, :] for r in range(network.rank) for k in range(3)] + linear, dim=-1)
        self.w, (first, second, _) = sum(network.widths), network.widths
        self.layers = slice(0, first), slice(first, first + second), slice(first + second, self.w)
        images = x @ self.big
        self.u = self._squared(images)
        q = images[..., -self.w :] + torch.cat([p[f"b{k}"] for k in range(3)], dim=-1)[..., None, :]
        for u in self.u:
            q.addcmul_(u, u)
        self.o0, q1, q2 = (q[..., layer] for layer in self.layers)
        self.o1, self.s1, self.bent1 = _celu((self.o0 @ self.C1).add_(q1))
        self.o2, self.s2, self.bent2 = _celu((self.o1 @ self.C2).add_(q2))
        self.delta = torch.empty_like(q)
        torch.mul(p["v"][..., None, :], self.s2, out=self.delta[..., self.layers[2]])
        self._down(self.delta, self.s1)

    def gradient(self) -> Tensor:
        """∇f(x), shape (..., b, d)."""
        return (self._doubled @ self.big.mT).add_(self.x, alpha=self.network.kappa)

    def hessian(self, r: Tensor) -> Tensor:
        """∇²f(x) r, shape (..., b, d)."""
        return (self._along(r, 0.0)[0] @ self.big.mT).add_(r, alpha=self.network.kappa)

    def slope(self, c: float, r: Tensor | None = None) -> Tensor:
        """The gradient in the parameters of Σ c f(x) + ⟨r, ∇f(x)⟩ over the points of a batch: shape (..., P)."""
        x, o0, o1 = self.x.mT, self.o0.mT, self.o1.mT
        _, second, third = self.layers
        if r is None:
            e, whole = c * self.delta, x @ (c * self._doubled)
            C1, C2, v = o0 @ e[..., second], o1 @ e[..., third], c * self.o2.sum(-2)
        else:
            back, p0, p1, p2 = self._along(r, c)
            e = back[..., -self.w :]
            whole = x @ back + r.mT @ self._doubled
            C1 = o0 @ e[..., second] + p0.mT @ self.delta[..., second]
            C2 = o1 @ e[..., third] + p1.mT @ self.delta[..., third]
            v = p2.add_(self.o2, alpha=c).sum(-2)
        return self._packed(whole, e.sum(-2), C1, C2, v)

    def _along(self, r: Tensor, c: float) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Of Σ c f + ⟨r, ∇f⟩: its derivative in the images [u | x W], and the derivatives of o₀, o₁, o₂ along r."""
        images = r @ self.big
        moved, p = self._squared(images), images[..., -self.w :]
        for u, du in zip(self.u, moved, strict=True):
            p.addcmul_(u, du, value=2.0)
        p0, p1, p2 = (p[..., layer] for layer in self.layers)
        p1 = p1.add_(p0 @ self.C1)
        o1 = self.s1 * p1
        p2 = p2.add_(o1 @ self.C2)
        back = torch.empty_like(images)
        e = back[..., -self.w :]
        torch.mul(self.delta[..., self.layers[2]], (self.bent2 * p2).add_(c), out=e[..., self.layers[2]])
        self._down(e, self.s1, self.delta[..., self.layers[1]] * p1.mul(self.bent1))
        for out, u, du in zip(self._squared(back), self.u, moved, strict=True):
            torch.mul(u, e, out=out).addcmul_(du, self.delta).mul_(2.0)
        return back, p0, o1, self.s2 * p2

    def _down(self, e: Tensor, s1: Tensor, more: Tensor | None = None) -> None:
        """From the last layer of e to the first: e₁ = s₁ (e₂ C₂ᵀ) + more, e₀ = e₁ C₁ᵀ."""
        first, second, third = self.layers
        torch.mul(s1, e[..., third] @ self.C2.mT, out=e[..., second])
        if more is not None:
            e[..., second].add_(more)
        e[..., first] = e[..., second] @ self.C1.mT

    @cached_property
    def _doubled(self) -> Tensor:
        """[2 u δ | δ], the derivative of f in the images."""
        return torch.cat([*((u * self.delta).mul_(2.0) for u in self.u), self.delta], dim=-1)

    def _squared(self, images: Tensor) -> list[Tensor]:
        """The images that are squared, one for each rank: views."""
        return [images[..., r * self.w : (r + 1) * self.w] for r in range(self.network.rank)]

    def _packed(self, whole: Tensor, e: Tensor, C1: Tensor, C2: Tensor, v: Tensor) -> Tensor:
        """The parts in the order of the flat vector."""
        *squares, linear = whole.split(self.w, dim=-1)
        parts = []
        for layer in self.layers:
            parts += [part[..., layer].flatten(-2) for part in (*squares, linear)] + [e[..., layer]]
        return torch.cat([*parts, C1.flatten(-2), C2.flatten(-2), v], dim=-1)


def _celu(a: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """celu(a), its derivative, and where it bends (1 where a < 0, else 0): there its second derivative is the first."""
    bent = (a < 0.0).to(a.dtype)
    slope = a.clamp(max=0.0).exp_()
    return a.clamp_(min=0.0).add_(slope).sub_(1.0), slope, bent
