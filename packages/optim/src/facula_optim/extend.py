"""Names of facula_optim for sibling packages, in addition to the public API."""

from ._observer import OptimizerObserver, observe_optimizers

__all__ = ["OptimizerObserver", "observe_optimizers"]

# Private attributes that facula reads to pickle schedules in PyTorch's form. `state_dict` omits functions.
SIBLING_ATTRIBUTES = {
    "_anneal_strategy": "the name of an SWALR's curve; a name of PyTorch's",
    "_scale_fn_custom": "a CyclicLR's own function, or None; a name of PyTorch's",
}
