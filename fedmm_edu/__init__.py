"""Learn, check and use federated majorize-minimization (FedMM).

The public names stand in `__init__.pyi`, each with the room it lives in. A name loads its room when it is first used:
`import fedmm_edu` itself loads none, the algorithms need NumPy and SciPy, the checkers SymPy.
"""

from fedmm_edu.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__)  # pyright: ignore[reportUnsupportedDunderAll]
