"""The relatives as the literature writes them, in plain NumPy, each with its bugs as an option. Nothing of the loop."""

from __future__ import annotations

import numpy as np
from scipy.stats import multivariate_normal

from fedmm_edu.arrays import Array
from tests.numeric.literature import COVARIANCES, soft
from tests.relatives.case import RIDGE, Case, Definition, mixed_clients

DEFINITIONS: dict[str, Definition] = {}


def define(key):
    """Keeps what yields θ_1, …, θ_T as a definition."""

    def keep(function):
        DEFINITIONS[key] = lambda *given: list(function(*given))
        return function

    return keep


def local(case, i, theta, pull=0.0) -> Array:
    """y_K of K gradient steps from θ."""
    y = theta.copy()
    for _ in range(case.at.steps):
        y = y - case.at.eta * (case.gradient(i, y) + pull * (y - theta))
    return y


def averaged(case, theta, t, pull=0.0):
    """FedAvg's Δ: the mean of y_K − θ over the active."""
    who = case.active(t)
    total = sum(case.Q(t, i, local(case, i, theta, pull) - theta) for i in who)
    return total / (case.n if case.bug == "divided by n" else len(who))


@define("fedavg")
def fedavg(case: Case, theta, rounds):
    for t in range(1, rounds + 1):
        theta = theta + averaged(case, theta, t)
        yield theta


@define("fedprox")
def fedprox(case: Case, theta, rounds):
    pull = {"always 0": 0.0, "sign": -case.at.pull}.get(case.bug, case.at.pull)
    for t in range(1, rounds + 1):
        theta = theta + averaged(case, theta, t, pull)
        yield theta


@define("scaffold")
def scaffold(case: Case, x, rounds):
    """Algorithm 1 of Karimireddy et al., option II, η_g = γ."""
    c, ci, K = np.zeros(len(x)), np.zeros((case.n, len(x))), case.at.steps
    for t in range(1, rounds + 1):
        who, dy, dc = case.active(t), np.zeros(len(x)), np.zeros(len(x))
        for i in who:
            y = x.copy()
            for _ in range(K):
                y = y - case.at.eta * (case.gradient(i, y) - ci[i] + c)
            drift = (x - y) / (K * case.at.eta)
            new = ci[i] - c + (-drift if case.bug == "sign" else drift)
            dy, dc = dy + (y - x), dc + (new if case.bug == "sends c_i" else new - ci[i])
            ci[i] = new
        x = x + case.gamma * dy / len(who)
        c = c + dc / (len(who) if case.bug == "divides by m" else case.n)
        yield x


@define("scaffnew")
def scaffnew(case: Case, x, rounds):
    """Algorithm 2 of Mishchenko et al.: after each coin that shows heads the clients average."""
    h, p, eta = np.zeros((case.n, len(x))), case.at.p, case.at.eta
    for t in range(1, rounds + 1):
        local = np.tile(x, (case.n, 1))
        for _ in range(case.toss(t)):
            local = np.array([y - eta * (case.gradient(i, y) - h[i]) for i, y in enumerate(local)])
        x = local.mean(axis=0)
        h = h + (1.0 if case.bug == "h not scaled" else p / eta) * (x - local)
        yield x


@define("proxskip")
def proxskip(case: Case, z, rounds):
    """Algorithm 1 of Mishchenko et al. on copies of x: prox of (η/p)(g + they agree) at x̂_i − (η/p)h_i.

    From x_0 = prox(z) and the h_i with which x_0 is that prox.
    """
    p, eta = case.at.p, case.at.eta
    x = soft(z, case.lam * eta / p)
    h = np.tile(-p / eta * (z - x), (case.n, 1))
    for t in range(1, rounds + 1):
        local = np.tile(x, (case.n, 1))
        for _ in range(case.toss(t)):
            local = np.array([y - eta * (case.gradient(i, y) - h[i]) for i, y in enumerate(local)])
        x = soft((local - eta / p * h).mean(axis=0), case.lam * (eta if case.bug == "prox of η" else eta / p))
        h = h + p / eta * (x - local)
        yield x


@define("feddyn")
def feddyn(case: Case, theta, rounds):
    """Algorithm 1 of Acar et al.; the client's minimiser by K gradient steps, g_i ← g_i − a(θ_i − θ)."""
    g, h, a = np.zeros((case.n, len(theta))), np.zeros(len(theta)), case.at.pull
    for t in range(1, rounds + 1):
        who, ends = case.active(t), []
        for i in who:
            y = theta.copy()
            for _ in range(case.at.steps):
                y = y - case.at.eta * (case.gradient(i, y) - g[i] + a * (y - theta))
            g[i] = g[i] - a * (y - theta)
            ends.append(y)
        moved = sum(ends) - (1 if case.bug == "θ subtracted once" else len(who)) * theta
        old, h = h, h - a / case.n * moved
        theta = sum(ends) / len(who) - (old if case.bug == "old h" else h) / a
        yield theta


@define("fedavgm")
def fedavgm(case: Case, theta, rounds):
    m = np.zeros(len(theta))
    for t in range(1, rounds + 1):
        m = 0.9 * m + (0.1 if case.bug == "averaged" else 1.0) * averaged(case, theta, t)
        theta = theta + case.gamma * m
        yield theta


def adaptive(case: Case, theta, rounds, beta1, second):
    """Algorithm 2 of Reddi et al."""
    tau = 1e-3
    m, v = np.zeros(len(theta)), np.full(len(theta), 0.0 if case.bug == "v from 0" else tau**2)
    for t in range(1, rounds + 1):
        delta = averaged(case, theta, t)
        m = beta1 * m + (1 - beta1) * delta
        v = second(v, delta**2)
        theta = theta + case.gamma * (delta if case.bug == "Δ for m" else m) / (np.sqrt(v) + tau)
        yield theta


@define("fedadam")
def fedadam(case: Case, theta, rounds):
    return adaptive(case, theta, rounds, 0.9, lambda v, d2: 0.99 * v + 0.01 * d2)


@define("fedyogi")
def fedyogi(case: Case, theta, rounds):
    sign = 1.0 if case.bug == "sign" else -1.0
    return adaptive(case, theta, rounds, 0.9, lambda v, d2: np.abs(v + sign * 0.01 * d2 * np.sign(v - d2)))


@define("fedadagrad")
def fedadagrad(case: Case, theta, rounds):
    return adaptive(case, theta, rounds, 0.0, lambda v, d2: d2 if case.bug == "v forgets" else v + d2)


@define("fedmid")
def fedmid(case: Case, theta, rounds):
    """Yuan et al., Euclidean FedMiD: prox_{ηg} at each local step, prox_{η_s ηKg} at the server, η_s = γ."""
    eta, K, gamma = case.at.eta, case.at.steps, case.gamma
    weight = eta * K * (1 if case.bug == "γ forgotten" else gamma)
    for t in range(1, rounds + 1):
        ends = []
        for i in case.active(t):
            y = theta
            for _ in range(K):
                y = soft(y - eta * case.gradient(i, y), eta * case.lam)
            ends.append(y)
        theta = theta + gamma * (np.mean(ends, axis=0) - theta)
        theta = theta if case.bug == "one prox" else soft(theta, weight * case.lam)
        yield theta


@define("feddualavg")
def feddualavg(case: Case, z, rounds):
    """Yuan et al., FedDualAvg with h = ½‖·‖², η_s = γ: w_{r,k} = prox_{(η_s ηrK + ηk)g}(z_{r,k})."""
    eta, K = case.at.eta, case.at.steps
    server = 1 if case.bug == "γ forgotten" else case.gamma
    for r in range(rounds):
        ends = []
        for i in case.active(r + 1):
            y = z
            for k in range(K):
                weight = eta if case.bug == "g not weighed" else eta * (server * r * K + k)
                y = y - eta * case.gradient(i, soft(y, weight * case.lam))
            ends.append(y)
        z = z + case.gamma * (np.mean(ends, axis=0) - z)
        yield soft(z, server * eta * K * (1 if case.bug == "g not weighed" else r + 1) * case.lam)


@define("qsgd")
def qsgd(case: Case, theta, rounds):
    for t in range(1, rounds + 1):
        who = case.active(t)
        theta = theta + sum(case.Q(t, i, -case.at.eta * case.gradient(i, theta)) for i in who) / len(who)
        yield theta


@define("gdci")
def gdci(case: Case, theta, rounds):
    """x ← (1 − γ)x + γ mean Q(x − η∇f_i(x))."""
    gamma = case.gamma
    for t in range(1, rounds + 1):
        steps = [-case.at.eta * case.gradient(i, theta) for i in range(case.n)]
        if case.bug == "compresses ∇f":
            theta = theta + gamma * np.mean([case.Q(t, i, step) for i, step in enumerate(steps)], axis=0)
        else:
            images = [case.Q(t, i, theta + step) for i, step in enumerate(steps)]
            theta = (1 - gamma) * theta + gamma * np.mean(images, axis=0)
        yield theta


def diana_like(case: Case, x, rounds, prox):
    """h_i ← h_i + αQ(∇f_i − h_i), ĝ = mean h + mean Q(∇f_i − h_i) (Q is positively homogeneous)."""
    h, server_h, eta = np.zeros((case.n, len(x))), np.zeros(len(x)), case.at.eta
    theta = prox(x)
    for t in range(1, rounds + 1):
        m = np.array([case.Q(t, i, case.gradient(i, theta) - h[i]) for i in range(case.n)])
        if case.bug != "α on the server only":
            h = h + case.alpha * m
        after = server_h + case.alpha * m.mean(axis=0)
        g = (after if case.bug == "h after" else server_h) + m.mean(axis=0)
        server_h = after
        x = (x if case.bug == "reference" else theta) - eta * g
        theta = prox(x)
        yield theta


@define("diana")
def diana(case: Case, theta, rounds):
    return diana_like(case, theta, rounds, lambda x: x)


@define("prox-diana")
def prox_diana(case: Case, x, rounds):
    return diana_like(case, x, rounds, lambda x: soft(x, case.at.eta * case.lam))


@define("ef21")
def ef21(case: Case, x, rounds):
    """x^{t+1} = x^t − ηg^t, g_i^{t+1} = g_i^t + C(∇f_i(x^{t+1}) − g_i^t), from g_i^0 = ∇f_i(x^0); away: g_i stays.

    In the loop the g of a round is made at its beginning, and the first round makes g^0 of itself.
    """
    g = np.array([case.gradient(i, x) for i in range(case.n)])
    for t in range(1, rounds + 1):
        old = g.mean(axis=0)
        for i in case.active(t):
            now = case.gradient(i, x)
            g[i] = case.Q(t, i, now) if case.bug == "no memory" else g[i] + case.Q(t, i, now - g[i])
        x = x - case.at.eta * (old if case.bug == "old g" else g.mean(axis=0))
        yield x


@define("marina")
def marina(case: Case, x, rounds):
    """x^{t+1} = x^t − ηg^t, g^{t+1} = ∇f(x^{t+1}) on heads, else g^t + mean Q(∇f_i(x^{t+1}) − ∇f_i(x^t)).

    From g^0 = ∇f(x^0).
    """
    g = np.array([case.gradient(i, x) for i in range(case.n)])
    last = g.copy()
    for t in range(1, rounds + 1):
        now = np.array([case.gradient(i, x) for i in range(case.n)])
        for i in range(case.n):
            heads = case.coin(t) < case.at.p
            if case.bug == "own coins":
                heads = case.coin(1000 * t + i) < case.at.p
            g[i] = now[i] if heads else g[i] + case.Q(t, i, now[i] - last[i])
        if case.bug != "stale" or case.coin(t) < case.at.p:
            last = now
        x = x - case.at.eta * g.mean(axis=0)
        yield x


@define("ef-sgd")
def ef_sgd(case: Case, x, rounds):
    """v_i = η∇f_i + e_i is sent as C(v_i), e_i ← v_i − C(v_i)."""
    e = np.zeros((case.n, len(x)))
    for t in range(1, rounds + 1):
        v = np.array([case.at.eta * case.gradient(i, x) for i in range(case.n)])
        sent = np.array([-case.Q(t, i, -(v[i] + e[i])) for i in range(case.n)])
        e = (v if case.bug == "forgets" else v + e) - sent
        x = x - sent.mean(axis=0)
        yield x


@define("mcm")
def mcm(case: Case, w, rounds):
    """w ← w − η ĝ(ŵ) with DIANA's ĝ; ŵ = H + C(w − H), H ← H + α_dwn C(w − H) (Philippenko and Dieuleveut)."""
    h, H, seen, down = np.zeros((case.n, len(w))), w, w, 1 / (1 + case.at.compressor.omega(len(w)))
    for t in range(1, rounds + 1):
        m = np.array([case.Q(t, i, case.gradient(i, seen) - h[i]) for i in range(case.n)])
        w = (seen if case.bug == "degraded" else w) - case.at.eta * (h.mean(axis=0) + m.mean(axis=0))
        h = h + case.alpha * m
        heard = case.Q_down(t, w - H)
        seen, H = H + heard, H + down * heard
        yield w


@define("fedmm")
def fedmm(case: Case, s, rounds):
    """Algorithm 2 on Example 1, line by line; all p_i = m/n, μ_i = 1/n."""
    V, server_V, p = np.zeros((case.n, len(s))), np.zeros(len(s)), case.at.share(case.n)
    for t in range(1, rounds + 1):
        theta, total = soft(s, case.rho * case.lam), np.zeros(len(s))
        for i in case.active(t):
            q = case.Q(t, i, theta - case.rho * case.gradient(i, theta) - s - V[i])
            V[i] = V[i] + case.alpha / p * q
            total = total + q / case.n / p
        s, server_V = s + case.gamma * (server_V + total), server_V + case.alpha * total
        yield soft(s, case.rho * case.lam)


@define("naive")
def naive(case: Case, theta, rounds):
    V, server_V, p = np.zeros((case.n, len(theta))), np.zeros(len(theta)), case.at.share(case.n)
    for t in range(1, rounds + 1):
        total = np.zeros(len(theta))
        aims = [theta - case.rho * case.gradient(i, theta) for i in range(case.n)]
        for i in case.active(t):
            aim = aims[i] if case.bug == "average of S" else soft(aims[i], case.rho * case.lam)
            q = case.Q(t, i, aim - theta - V[i])
            V[i] = V[i] + case.alpha / p * q
            total = total + q / case.n / p
        theta, server_V = theta + case.gamma * (server_V + total), server_V + case.alpha * total
        theta = soft(theta, case.rho * case.lam) if case.bug == "average of S" else theta
        yield theta


@define("accelerated")
def accelerated(case: Case, s, rounds):
    """y = s + β_t(s − s_before), s ← y + γ(mean S̄_i(T(y)) − y), with FISTA's β_t."""
    before, a = s, 1.0
    for t in range(1, rounds + 1):
        following = (1 + np.sqrt(1 + 4 * a * a)) / 2 if t > 1 else 1.0
        y = s + (a - 1) / following * (s - before)
        theta = soft(s if case.bug == "no query" else y, case.rho * case.lam)
        aim = np.mean([theta - case.rho * case.gradient(i, theta) for i in range(case.n)], axis=0)
        before, s, a = s, y + case.gamma * (aim - y), following
        yield soft(s, case.rho * case.lam)


def personal_em(case: Case, theta, rounds, in_theta):
    """E-steps with π_i, π_i ← mean r, and means from the client's own statistics or from those of all."""
    data = [np.array(z) for z in mixed_clients()]
    pi = np.full((len(data), 2), 0.5)
    for _ in range(rounds):
        means, statistics = theta.reshape(2, 2), []
        for i, z in enumerate(data):
            density = [multivariate_normal(m, G).pdf(z) for m, G in zip(means, COVARIANCES, strict=True)]
            r = pi[i] * np.stack(density, axis=1)
            r = r / r.sum(axis=1, keepdims=True)
            pi[i] = r.mean(axis=0)
            statistics.append((r.T @ z / len(z), r.mean(axis=0)))
        if case.bug == "common weights":
            pi[:] = pi.mean(axis=0)
        pooled = [(np.mean([a for a, _ in statistics], axis=0), np.mean([b for _, b in statistics], axis=0))]
        ends = [m_step(*each) for each in (statistics if in_theta else pooled)]
        theta = np.mean(ends, axis=0)
        yield theta


def m_step(first, counts):
    """(s₂ I + λΓ)⁻¹ s₁ of each component."""
    solved = [np.linalg.solve(c * np.eye(2) + RIDGE * G, f) for f, c, G in zip(first, counts, COVARIANCES, strict=True)]
    return np.concatenate(solved)


@define("marfoq")
def marfoq(case: Case, theta, rounds):
    return personal_em(case, theta, rounds, in_theta=True)


@define("marfoq-in-s")
def marfoq_in_s(case: Case, theta, rounds):
    """From s_0 = 𝒯(θ) with common weights, whose minimiser is the first θ."""
    return personal_em(case, m_step(theta[:4].reshape(2, 2), theta[4:]), rounds, in_theta=case.bug == "in Θ")
