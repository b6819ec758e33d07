"""Words and instances that several rows of this section share."""

from __future__ import annotations

POTENTIALS = (r"$f_\omega, f_\theta$ are convex and differentiable", "all means are finite")
RICH = r"the family is rich: for each $\omega$ some $\theta$ has $\nabla f_\theta = \nabla f_\omega^c$ Q-a.e."
ROUND = (r"$\sum_i \mu_i = 1$",)
