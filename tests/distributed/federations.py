"""Small federations for the tests of this folder."""

from dataclasses import replace
from functools import cache

import numpy as np

from fedmm_edu.algorithms import Constant, FedMM, mm
from fedmm_edu.distributed import InProcess, Places, Plan, ServerState, in_process
from fedmm_edu.distributed.jobs import Job
from fedmm_edu.examples.quadratic import L1, LeastSquares, Quadratic, admissible_rho
from fedmm_edu.federation import (
    Bernoulli,
    Clients,
    Everyone,
    FixedScaleQuantization,
    FullBatch,
    UniformQuantization,
)

D = 3


def regression(n=6, samples=30, **parts):
    """Sparse regression over clients that differ; converges to twelve digits in some 40 rounds."""
    rng = np.random.default_rng(5)
    sizes = samples + np.arange(n) % 3
    clients = Clients.of(
        [rng.normal(size=(m, D + 1)) @ (np.eye(D + 1) + 0.2 * rng.normal(size=(D + 1, D + 1))) for m in sizes]
    )
    problem = Quadratic(D, admissible_rho(LeastSquares(), clients), penalty=L1(0.05))
    settings = {
        "gamma": Constant(0.9), "oracle": FullBatch(), "participation": Bernoulli(0.8),
        "compressor": UniformQuantization(8), "alpha": 0.6, "beyond_theorem": True,
    }  # fmt: skip
    return FedMM(problem, clients, **settings | parts)


def nodes_of(fed, K=3, V="zero"):
    """Plan, engine and start of a federation of K nodes in this process."""
    plan = Plan.of(fed, K)
    return plan, in_process(fed, plan), ServerState.start(plan, np.zeros(fed.dim), V)


@cache
def private_keys(K):
    """Private keys of K nodes, as `ssh-keygen` writes them."""
    from cryptography.hazmat.primitives import serialization as form
    from cryptography.hazmat.primitives.asymmetric import ec

    keys = [ec.generate_private_key(ec.SECP384R1()) for _ in range(K)]
    return [key.private_bytes(form.Encoding.PEM, form.PrivateFormat.OpenSSH, form.NoEncryption()) for key in keys]


def public_key(private):
    """The line that `ssh-keygen` writes beside it."""
    from cryptography.hazmat.primitives import serialization as form

    public = form.load_ssh_private_key(private, None).public_key()
    return public.public_bytes(form.Encoding.OpenSSH, form.PublicFormat.OpenSSH).decode()


def with_identities(federation, secret=b""):
    """The same nodes with secure sums, whose plan names the public key of each."""
    plan, engine, _ = federation
    keys = private_keys(len(plan.nodes))
    places = Places(plan.mu, plan.nodes, tuple(public_key(key) for key in keys))
    plan = replace(plan, clients=places, beyond_theorem=True)
    nodes = {k: replace(engine.nodes[k], plan=plan, secret=secret, identity=key) for k, key in enumerate(keys)}
    return plan, InProcess(nodes), ServerState.start(plan, np.zeros(plan.dim))


def secure(**parts):
    """`regression` with secure sums."""
    settings = {"participation": Everyone(), "alpha": 0.5, "secure_sum": True}
    return regression(**settings | {"compressor": FixedScaleQuantization(16, 4.0, halve_every=8)} | parts)


def signed(nodes):
    """A job of secure sums whose plan names the nodes; commands find it as `tests.distributed.federations:signed`."""
    fed = secure()
    plan, _, _ = with_identities(nodes_of(fed, nodes))
    return Job(plan, np.zeros(fed.dim), Job.of(fed, np.zeros(fed.dim), nodes).data)


def opened(nodes):
    """A job whose control variates start at h_i; commands find it as `tests.distributed.federations:opened`."""
    return Job.of(regression(), np.zeros(D), nodes, V="mean_field")


def limit(fed):
    """The point at which the in-process run stands still: that of centralised MM on all samples."""
    central = mm(fed.problem, fed.clients.pooled()[0])
    state = central.init(np.zeros(fed.dim))
    for _ in range(500):
        state = central.step(state)
    return state.x


def held(engine, state):
    """What the nodes keep in the history that the server has accepted, of those that have it."""
    found = [node.at(state.base[k].tobytes()) for k, node in sorted(engine.nodes.items())]
    return [kept for kept in found if kept is not None]


def variates(engine, state):
    """V_i of each node's clients, of the nodes that have theirs."""
    return [kept.V for kept in held(engine, state)]


def gap(plan, engine, state):
    """‖V − Σ μ_i V_i‖: what Algorithm 2 conserves and faults must not move; NaN while a node does not have its V_i."""
    V = variates(engine, state)
    if len(V) < len(plan.nodes):
        return np.nan
    return float(np.linalg.norm(state.V - sum(plan.mu[who] @ V_i for who, V_i in zip(plan.nodes, V, strict=True))))


def error(x, reference):
    """max |x − reference| / max |reference|."""
    return float(np.abs(x - reference).max() / np.abs(reference).max())
