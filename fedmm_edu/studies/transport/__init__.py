"""Section 7: the demo `fedmm run transport`, the figure that the paper's source lacks, and what changes it.

The modules are imported where they are used: the criteria in `statements` and the curves in `record` need no PyTorch.
"""
