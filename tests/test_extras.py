"""A plain installation runs the algorithms and the models; what needs more says which extra it needs."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.test_imports import cells

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
OPTIONAL = {
    "z3": "z3-solver",
    "cvc5": "cvc5",
    "latex2mathml": "latex2mathml",
    "matplotlib": "matplotlib",
    "PIL": "pillow",
    "sklearn": "scikit-learn",
    "pandas": "pandas",
    "dp_accounting": "dp-accounting",
    "numba": "numba",
    "torch": "torch",
    "flwr": "flwr",
    "cryptography": "flwr",
    "ipywidgets": "ipywidgets",
    "anywidget": "anywidget",
    "tornado": "tornado",
    "segno": "segno",
}
"""What the extras bring, by the name under which it is imported, and the package of an extra that brings it."""

MODEL = """
from sympy import sqrt, symbols
from fedmm_edu import Model, check_model, kernel
t, z, s = symbols("theta z s", real=True)
model = Model(theta=[t], z=[z], s=[s], loss=z * t + 1 / t, psi=1 / t, phi=[-t], S_bar=[z], T=[1 / sqrt(s)],
              Theta=[t > 0], S=[s > 0], Z=[z > 0])
"""
RUN = """
import numpy as np
from fedmm_edu import Clients, FedMM, RandK, Bernoulli, Constant, MiniBatch, run
from fedmm_edu.examples.quadratic import L1, Quadratic
from fedmm_edu.examples.dictionary import DictionaryLearning, SparseCodes, UnitBall
clients = Clients.of(list(np.random.default_rng(0).normal(size=(4, 10, 3))))
problem = Quadratic(2, 9.0, penalty=L1(0.1))
fed = FedMM(problem, clients, Constant(0.2), MiniBatch(3), Bernoulli(0.5), RandK(1), alpha=0.1)
state, history = run(fed, fed.init(np.zeros(2)), rounds=3)
fed = FedMM(DictionaryLearning(3, 2, SparseCodes(0.3), UnitBall(0.1)), clients, Constant(0.2))
state, history = run(fed, fed.init(fed.point(np.ones(6))), rounds=2)
print(len(history.objective))
"""


def without(names, code):
    """The outcome of `code` in an interpreter that cannot import `names`."""
    hide = "import sys\n" + "".join(f"sys.modules[{name!r}] = None\n" for name in names)
    return subprocess.run([sys.executable, "-c", hide + code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("code", [RUN, MODEL + "print(kernel(model).T([4.0]))"], ids=["algorithms", "models"])
def test_a_plain_installation_suffices(code):
    """FedMM with compression and sparse codes; a SymPy model and the kernel from it."""
    found = without(OPTIONAL, code)
    assert (found.returncode, found.stderr) == (0, "")
    assert found.stdout


@pytest.mark.parametrize(
    ("hidden", "code", "extra"),
    [
        ("latex2mathml", "import proofs_checks.report", "check"),
        ("matplotlib", "from fedmm_edu.figures import panels", "plot"),
        ("sklearn", "from fedmm_edu.datasets import load_diabetes; load_diabetes()", "studies"),
        ("sklearn", "import fedmm_edu.studies.quadratic", "studies"),
        ("torch", "import fedmm_edu.transport", "transport"),
        ("sklearn", "import fedmm_edu.estimators", "estimators"),
        ("pandas", "from fedmm_edu.estimators import FederatedLasso", "estimators"),
        ("flwr", "import fedmm_edu.distributed.flower", "distributed"),
        ("flwr", "from fedmm_edu.estimators import FederatedRidge\n"
                 "FederatedRidge(engine='flower').fit([[1.0], [2.0]], [1.0, 2.0])", "distributed"),
        ("ipywidgets", "from fedmm_edu.widgets import row", "lab"),
        ("anywidget", "from fedmm_edu.widgets import explorables; explorables.theorem().widget()", "lab"),
        ("numba", "import numpy as np\nfrom fedmm_edu.sparse_coding import CodePenalty, codes\n"
                  "codes(np.ones((1, 1)), np.ones((1, 1)), CodePenalty(1.0), method='compiled')", "fast"),
    ],
)  # fmt: skip
def test_a_missing_package_names_its_extra(hidden, code, extra):
    """Where it is needed first, in one sentence that can be copied; and the extra exists."""
    last = without([hidden], code).stderr.strip().splitlines()[-1]
    assert "MissingExtra: " in last
    assert hidden in last
    assert f"pip install 'fedmm-edu[{extra}]'" in last
    assert extra in EXTRAS


def test_fedmm_check_needs_no_solver(tmp_path):
    """Where z3 and cvc5 are not installed, the kernel's certificates are."""
    (tmp_path / "mine.py").write_text(
        MODEL.replace("Theta=[t > 0]", "Theta=[t > 0, t**3 - t**2 + t > 0]"), encoding="utf-8"
    )
    code = f"from fedmm_edu.cli import main\nsys.exit(main(['check', {str(tmp_path / 'mine.py')!r}]))"
    found = without(["z3", "cvc5"], code)
    assert (found.returncode, found.stderr) == (0, "")
    assert "every hypothesis is proved" in found.stdout


def test_the_ledger_asks_for_its_solvers_first():
    """Rows that only a solver decides would else come out as unexpected."""
    found = without(["cvc5"], "from fedmm_edu.cli import main\nsys.exit(main(['verify', 'ssmm-mean']))")
    assert found.returncode == 2
    assert "fedmm verify needs cvc5" in found.stderr
    assert "pip install 'fedmm-edu[check]'" in found.stderr


def test_what_only_a_solver_decides_names_its_extra():
    """Motzkin's polynomial is non-negative and no sum of squares: the reason says what to install."""
    code = """
from sympy import symbols
from fedmm_edu.symbolic import Domain, decide_nonnegative
x, y = symbols('x y', real=True)
verdict = decide_nonnegative(x**4 * y**2 + x**2 * y**4 + 1 - 3 * x**2 * y**2, Domain.of([], [x, y]))
print(verdict.status, verdict.finding)
"""
    found = without(["z3", "cvc5"], code).stdout
    assert found.startswith("supported ")
    assert "z3, which is not installed: pip install 'fedmm-edu[check]'" in found
    assert "check" in EXTRAS


def test_every_extra_that_an_error_names_exists():
    """In the package and in the ledger, by the first argument of `needs` or in the text."""
    named = set()
    for path in [*(ROOT / "fedmm_edu").rglob("*.py"), *(ROOT / "proofs_checks").rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        named |= set(re.findall(r"fedmm-edu\[(\w+)\]", text))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "needs":
                named |= {str(given.value) for given in node.args[:1] if isinstance(given, ast.Constant)}
    assert named
    assert named <= EXTRAS.keys()


def brought(extra: str) -> set[str]:
    """The packages that an extra names, by itself or by others."""
    found: set[str] = set()
    for each in EXTRAS[extra]:
        own = re.match(r"fedmm-edu\[([\w,]+)\]", each)
        found |= set().union(*map(brought, own[1].split(","))) if own else {re.split(r"[<>=\[;]", each)[0]}
    return found


@pytest.mark.parametrize("page", sorted((ROOT / "book" / "howto").glob("*.md")), ids=lambda page: page.stem)
def test_the_site_is_built_with_its_own_extra(page, tmp_path, monkeypatch):
    """What its how-tos run needs nothing that a reader who says `make book` first does not have."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    hidden = [name for name, package in OPTIONAL.items() if package not in brought("book")]
    assert "tornado" in hidden
    monkeypatch.setenv("MPLBACKEND", "agg")
    found = without(hidden, "\n".join(cells(page, blocks=False)))
    assert found.returncode == 0, found.stderr


def test_the_core_is_light():
    """Solvers, pictures, data and PyTorch are extras."""
    core = {re.split(r"[<>=]", each)[0] for each in PROJECT["dependencies"]}
    assert core == {"numpy", "scipy", "sympy", "python-flint", "threadpoolctl"}
