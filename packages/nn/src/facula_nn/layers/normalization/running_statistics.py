"""Removal of running statistics from batch norms."""

from __future__ import annotations

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from ..._modules.module import Module
from .batch_norm import _BatchNorm


@boundary
def replace_all_batch_norm_modules_(root: Module) -> Module:
    """Remove the running statistics, which `vmap` cannot update, from the batch norms in `root`; return `root`.

    Arguments:
        root: the module to modify.

    >>> from facula_nn import BatchNorm1d, Sequential
    >>> replace_all_batch_norm_modules_(Sequential(BatchNorm1d(2)))[0].running_mean is None
    True
    """
    if not isinstance(root, Module):
        raise InvalidTypeError(
            f"replace_all_batch_norm_modules_: expected a Module; got {type(root).__name__} {root!r:.60}"
        )
    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
