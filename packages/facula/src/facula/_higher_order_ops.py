"""facula._higher_order_ops: control flow by tensors, where PyTorch has it."""

from ._names import publish
from ._siblings import needs

with needs("facula._higher_order_ops"):
    from facula_jit import associative_scan, cond, map, scan, while_loop

__all__ = ["associative_scan", "cond", "map", "scan", "while_loop"]

publish(__name__)
