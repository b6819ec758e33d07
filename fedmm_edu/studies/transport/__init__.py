"""Section 7: the demo `fedmm run transport`, the figure that the paper's source lacks, and ablations.

The modules are imported where they are used: the criteria in `statements` and the curves in `record` need no PyTorch.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `fedmm run transport`."""
    from fedmm_edu.studies.transport import demo

    demo.add_arguments(parser)


def main(options: Namespace) -> int:
    """`fedmm run transport`: the exit status."""
    from fedmm_edu.studies.transport import demo

    return demo.main(options)
