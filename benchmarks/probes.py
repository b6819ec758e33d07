"""What `benchmarks.compare` times in two checkouts: short calls of everything whose speed is promised.

`python -m benchmarks.probes` is its other end: it reads commands from standard input, a line of JSON each, and answers
likewise. It imports the package of the checkout that it is started in, and nothing else of that checkout.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

Call = Callable[[], object]


def codes_cold() -> Call:
    """2000 codes of 50 atoms in 64 dimensions, λ = 0.1, a tenth of them not 0."""
    z, theta, penalty = _patches()
    from fedmm_edu.sparse_coding import codes

    return lambda: codes(z, theta, penalty)


def codes_warm() -> Call:
    """The same from the codes of a dictionary near by."""
    import numpy as np

    z, theta, penalty = _patches()
    from fedmm_edu.sparse_coding import codes

    near = codes(z, theta + 0.01 * np.random.default_rng(1).normal(size=theta.shape), penalty).h
    return lambda: codes(z, theta, penalty, start=near)


def _patches():
    import numpy as np

    from fedmm_edu.sparse_coding import CodePenalty

    rng = np.random.default_rng(0)
    theta = rng.normal(size=(64, 50))
    theta /= np.linalg.norm(theta, axis=0)
    h = rng.normal(size=(2000, 50)) * (rng.random((2000, 50)) < 0.1)
    return h @ theta.T + 0.05 * rng.normal(size=(2000, 64)), theta, CodePenalty(0.1)


def quadratic_round(n: int, q: int, samples: int) -> Call:
    """A round of sparse regression: half of n clients, 8 bits, control variates."""
    import numpy as np

    from fedmm_edu.algorithms import Constant, FedMM
    from fedmm_edu.examples.quadratic import L1, Quadratic
    from fedmm_edu.federation import Bernoulli, Clients, UniformQuantization

    clients = Clients.of_rows(np.random.default_rng(0).normal(size=(n * samples, q + 1)), [samples] * n)
    fed = FedMM(Quadratic(q, 1e-3, penalty=L1(0.1)), clients, Constant(0.1), participation=Bernoulli(0.5),
                compressor=UniformQuantization(8), alpha=0.1)  # fmt: skip
    state = fed.step(fed.init(np.zeros(q)))
    return lambda: fed.step(state)


def em_step() -> Call:
    """An EM step of a full Gaussian mixture: 10 000 points, three components, p = 8."""
    import numpy as np

    from fedmm_edu.examples.mixture import GaussianMixture

    z, problem = np.random.default_rng(0).normal(size=(10_000, 8)), GaussianMixture(3, 8)
    theta = problem.theta(np.full(3, 1 / 3), np.eye(8)[:3], np.tile(np.eye(8), (3, 1, 1)))
    return lambda: problem.T(problem.mean_S_bar(z, theta))


def dictionary_round() -> Call:
    """A round of dictionary learning: 10 clients × 100 samples, p = 100, K = 30."""
    import numpy as np

    from fedmm_edu.algorithms import Constant, FedMM
    from fedmm_edu.examples.dictionary import DictionaryLearning, SparseCodes, Unconstrained
    from fedmm_edu.federation import Clients, UniformQuantization

    rng = np.random.default_rng(0)
    problem = DictionaryLearning(100, 30, SparseCodes(0.1), Unconstrained(0.2))
    fed = FedMM(problem, Clients.of_rows(rng.normal(size=(1000, 100)), [100] * 10), Constant(0.1),
                compressor=UniformQuantization(8), alpha=0.1)  # fmt: skip
    state = fed.step(fed.init(fed.point(rng.normal(size=3000))))
    return lambda: fed.step(state)


def compressed(name: str) -> Call:
    """A message of 100 000 numbers."""
    import numpy as np

    from fedmm_edu import federation

    compressor = {"8 bits": lambda: federation.UniformQuantization(8), "RandK": lambda: federation.RandK(1000)}[name]()
    x = np.random.default_rng(0).normal(size=(1, 100_000))

    def draw(purpose: federation.Purpose, size: int):
        return federation.uniforms(0, purpose, np.array([0]), 1, size)

    return lambda: compressor.compress(x, draw)


def checked(example: str, model: str) -> Call:
    """All rows of a model, as `fedmm check` judges them; in a process of its own, since verdicts are remembered."""
    code = (
        "from fedmm_edu.examples import examples; from fedmm_edu.symbolic import check_model; "
        f"check_model(next(e for e in examples() if e.name == {example!r}).models()[{model!r}])"
    )
    return partial(subprocess.run, [sys.executable, "-c", code], check=True)


def started(*words: str) -> Call:
    """The command line from nothing."""
    return partial(subprocess.run, [sys.executable, "-m", "fedmm_edu", *words], check=True, capture_output=True)


PROBES: dict[str, Callable[[], Call]] = {
    "codes, cold": codes_cold,
    "codes, warm": codes_warm,
    "round, 10 clients, q = 10": partial(quadratic_round, 10, 10, 50),
    "round, 1000 clients, q = 10": partial(quadratic_round, 1000, 10, 50),
    "round, 20 clients, q = 5000": partial(quadratic_round, 20, 5000, 50),
    "round, dictionary": dictionary_round,
    "EM step, p = 8": em_step,
    "message, 8 bits": partial(compressed, "8 bits"),
    "message, RandK": partial(compressed, "RandK"),
    "check, least squares with l1": partial(checked, "quadratic", "least squares, l1"),
    "check, mixture of known weights": partial(checked, "mixture", "means"),
    "fedmm --version": partial(started, "--version"),
    "fedmm verify --list": partial(started, "verify", "--list"),
}


def spent() -> float:
    """CPU seconds of this process and of those that it waited for."""
    own, theirs = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + theirs.ru_utime + theirs.ru_stime


def serve() -> None:
    """Answer {"make": name}, after one call that compiles and fills caches, and {"call": times} with CPU seconds."""
    call: Call = lambda: None  # noqa: E731
    for line in sys.stdin:
        command = json.loads(line)
        try:
            if "make" in command:
                call = PROBES[command["make"]]()
                call()
            began, clock = spent(), time.perf_counter()
            for _ in range(command.get("call", 1)):
                call()
            answer = {"cpu": spent() - began, "wall": time.perf_counter() - clock}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve()
