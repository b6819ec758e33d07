"""Fingerprints: equal where nothing differs, in this process and the next; different where behaviour is."""

import contextlib
import functools
import math
import re
import shutil
import subprocess
import sys
import threading
import tracemalloc
import types
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

import fedmm_edu
from fedmm_edu.algorithms import FedMM, run
from fedmm_edu.algorithms import fingerprint as fingerprint_module
from fedmm_edu.algorithms.fingerprint import code_digest, fingerprint
from fedmm_edu.errors import InvalidInput, StateMismatch
from fedmm_edu.examples.quadratic import Quadratic
from fedmm_edu.federation import Clients

torch = pytest.importorskip("torch")


def test_a_fingerprint_tells_content_and_nothing_else():
    """Equal settings agree in another process; a rule that differs by one name or one constant does not."""
    rules = [lambda t: 1 / t, lambda t: 2 / t, lambda t: min(1, t), lambda t: max(1, t)]
    assert len({fingerprint(rule) for rule in rules}) == 4
    assert fingerprint(lambda t: 1 / t) == fingerprint(rules[0])
    nested = "lambda t: (lambda u: u in {1, 2, 'a', 'b'})(t)"
    here = fingerprint((eval(nested), {"b": 1, "a": np.arange(3)}, {"x", "y"}))
    code = (
        "import numpy as np; from fedmm_edu.algorithms.fingerprint import fingerprint;"
        f"print(fingerprint((eval({nested!r}), {{'b': 1, 'a': np.arange(3)}}, {{'x', 'y'}})))"
    )
    there = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    assert here == there
    with pytest.raises(InvalidInput, match="cannot tell what"):
        fingerprint(object())


class Slotted:
    __slots__ = ("gamma",)

    def __init__(self, gamma):
        self.gamma = gamma

    def __call__(self, t):
        return self.gamma


class Ruled:
    def __init__(self, gamma):
        self.gamma = gamma

    def rule(self, t):
        return self.gamma


def _module(source):
    """A module of a user, with this source."""
    made = types.ModuleType("somebodys_module")
    exec(source, made.__dict__)
    return made


def _returning(a):
    return lambda t: a


TWINS = {
    "partial": [functools.partial(pow, 0.5), functools.partial(pow, 0.4)],
    "keywords of a partial": [functools.partial(pow, exp=1), functools.partial(pow, exp=2)],
    "bound method": [Ruled(0.5).rule, Ruled(0.4).rule],
    "slots": [Slotted(0.5), Slotted(0.4)],
    "keyword default": [eval("lambda t, *, a=1: a"), eval("lambda t, *, a=2: a")],
    "default": [eval("lambda t, a=1: a"), eval("lambda t, a=2: a")],
    "closure": [_returning(1), _returning(2)],
    "global": [_module(f"a = {a}\ndef rule(t): return a").rule for a in (1, 2)],
    "global of a global": [_module(f"a = {a}\ndef of(t): return a\ndef rule(t): return of(t)").rule for a in (1, 2)],
    "method": [_module(f"class Rule:\n  def __call__(self, t): return {a}").Rule() for a in (1, 2)],
    "constant of a class": [_module(f"class Rule:\n  a = {a}").Rule() for a in (1, 2)],
    "property": [_module(f"class Rule:\n  @property\n  def a(self): return {a}").Rule() for a in (1, 2)],
    "tensor": [torch.ones(2), torch.zeros(2)],
    "random state": [np.random.default_rng(1), np.random.default_rng(2)],
    "mask": [np.ma.array([1.0, 2.0], mask=[0, k]) for k in (0, 1)],
    "objects in an array": [np.array([1, b], dtype=object) for b in (2, 3)],
    "ufunc": [np.sin, np.cos],
    "built-in": [math.sin, math.cos],
    "built-in method": [[1].index, [2].index],
    "pattern": [re.compile("a" * 300 + b) for b in "bc"],
    "sign of zero": [0.0, -0.0],
    "nesting": [[1, [2]], [1, 2]],
    "default of a dictionary": [defaultdict(int), defaultdict(float)],
}


@pytest.mark.parametrize("what", TWINS)
def test_fingerprints_differ_where_behaviour_does(what):
    one, other = TWINS[what]
    assert fingerprint(one) == fingerprint(one)
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(("in a tuple", one)) != fingerprint(("in a tuple", other))


OPAQUE = [object(), threading.Lock(), (k for k in ()), sys.stdout, memoryview(b"")]


@pytest.mark.parametrize("opaque", OPAQUE, ids=lambda of: type(of).__name__)
def test_what_has_no_fingerprint_is_refused_with_the_fix(opaque):
    with pytest.raises(InvalidInput, match="run without a checkpoint"):
        fingerprint({"gamma": opaque})


def test_an_object_that_holds_itself_has_a_fingerprint():
    loops = []
    for a in (1, 2):
        loops.append([a])
        loops[-1].append(loops[-1])
    assert fingerprint(loops[0]) != fingerprint(loops[1])
    assert fingerprint(Ruled(1)) == fingerprint(Ruled(1))  # asking leaves a trace on the class, not in the digest


def test_arrays_are_told_as_they_lie_without_a_copy(monkeypatch):
    """Data may fill the memory: whether it is contiguous or not, a few blocks of it are held, and its digest is one."""
    monkeypatch.setattr(fingerprint_module, "TOLD", 2**18)
    whole = np.arange(3 * 2**17, dtype=float).reshape(-1, 3)
    views = [whole, np.asfortranarray(whole), np.repeat(whole, 2, axis=1)[:, ::2]]
    digests = set()
    for view in views:
        tracemalloc.start()
        digests.add(fingerprint(view))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < whole.nbytes / 4
    assert len(digests) == 1
    assert fingerprint(whole[:, :2]) != fingerprint(whole[:, 1:])
    assert fingerprint(whole[:0]) != fingerprint(whole[:0].T)


def test_another_step_size_behind_the_same_name_is_another_run(tmp_path):
    """Saved with γ = 0.5 from a global, a run is not resumed with 0.4."""
    problem, clients = Quadratic(3, 0.1), Clients.of([np.arange(8.0).reshape(2, 4)])
    file = tmp_path / "run.npz"
    for a, refused in ((0.5, False), (0.5, False), (0.4, True)):
        fed = FedMM(problem, clients, _module(f"a = {a}\ndef rule(t): return a").rule)
        with pytest.raises(StateMismatch, match="other settings") if refused else contextlib.nullcontext():
            run(fed, fed.init(np.zeros(3)), 3, checkpoint=file)


def test_the_code_that_a_round_runs_is_part_of_a_plans_key(tmp_path):
    """A copy of the package in which one line of a kernel is another has another digest."""
    package = Path(fedmm_edu.__file__).parent
    copy = shutil.copytree(package, tmp_path / "fedmm_edu", ignore=shutil.ignore_patterns("__pycache__"))
    code = "from fedmm_edu.algorithms.fingerprint import code_digest; print(code_digest())"

    def digest():
        found = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path,
            env={"PYTHONPATH": str(tmp_path)},
        )  # fmt: skip
        return found.stdout.strip()

    assert digest() == code_digest()
    kernel = copy / "examples" / "quadratic" / "kernel.py"
    kernel.write_text(kernel.read_text("utf-8").replace("theta - self.rho", "theta + self.rho"), "utf-8")
    assert digest() != code_digest()
