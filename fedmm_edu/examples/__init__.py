"""The examples of the paper, each a SymPy model beside its NumPy kernel. `examples()` lists them."""

from fedmm_edu.examples.registry import Case, Example
from fedmm_edu.examples.registry import find_examples as examples

__all__ = ["Case", "Example", "examples"]
