"""What importing costs: the package and its numeric kernels load NumPy and SciPy, never the heavy parts."""

import subprocess
import sys

import pytest

import fedmm_edu

HEAVY = ("sympy", "torch", "flwr", "matplotlib", "sklearn", "numba", "z3", "cvc5", "flint", "latex2mathml")


@pytest.mark.parametrize(
    "module",
    [
        "fedmm_edu",
        "fedmm_edu.cli",
        "fedmm_edu.examples",
        "fedmm_edu.sparse_coding",
        "fedmm_edu.distributed",
        "proofs_checks",
    ],
)
def test_import_is_light(module):
    """A fresh interpreter that imports `module` has loaded none of the heavy packages."""
    code = f"import sys, {module}; print([name for name in {HEAVY!r} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_command_line_starts_without_scipy():
    """What every call of `fedmm` waits for is NumPy; a command imports the rest when it is chosen."""
    code = "import sys, fedmm_edu.cli; print('numpy' in sys.modules, 'scipy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["True", "False"]


def test_every_public_name_exists():
    """The list of public names is true, those that load SymPy included."""
    assert [name for name in fedmm_edu.__all__ if not hasattr(fedmm_edu, name)] == []
    assert set(fedmm_edu.__all__) <= set(dir(fedmm_edu))


def test_unknown_name_is_an_attribute_error():
    """The lazy look-up does not invent names."""
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = fedmm_edu.no_such_name
