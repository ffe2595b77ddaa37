"""Pruning of parameters; the names of facula_nn.utils.prune."""

# ruff: noqa: F403, F405
from ..._siblings import needs

with needs("facula.nn.utils.prune"):
    from facula_nn.utils.prune import *

__all__ = [
    "BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured", "PruningContainer",
    "RandomStructured", "RandomUnstructured", "custom_from_mask", "global_unstructured", "identity", "is_pruned",
    "l1_unstructured", "ln_structured", "random_structured", "random_unstructured", "remove",
]  # fmt: skip
