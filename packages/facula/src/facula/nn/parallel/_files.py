"""Files of DistributedDataParallel models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidValueError

from ..._lookup.siblings import needs
from .distributed import NAME, DistributedDataParallel

with needs("facula.nn.parallel"):
    from facula_distributed import is_initialized

if TYPE_CHECKING:
    from facula_nn import Module

# The options of files, with their types.
_OPTIONS: dict[str, tuple[type, ...]] = {
    "broadcast_buffers": (bool,), "bucket_cap_mb": (int, float, type(None)), "find_unused_parameters": (bool,),
    "gradient_as_bucket_view": (bool,), "static_graph": (bool,), "virtual_ranks": (int, type(None)),
    "shard_gradients": (bool,),
}  # fmt: skip


def saved(model: DistributedDataParallel[Any]) -> tuple[Module, dict[str, object]]:
    """Return what `save` writes of a model: the module, and the options."""
    return model.module, {name: getattr(model, name) for name in _OPTIONS} | {"training": model.training}


def loaded(module: Module, options: dict[str, Any]) -> DistributedDataParallel[Any]:
    """Wrap a module that `saved` returned, in the default group; ValueError if there is none."""
    given = dict(options)
    is_training = given.pop("training", True)
    if given.keys() != _OPTIONS.keys() or any([type(given[name]) not in kinds for name, kinds in _OPTIONS.items()]):
        raise InvalidValueError(f"load: expected the options of a {NAME}; got {options!r:.200}")
    if not is_initialized():
        raise InvalidValueError(
            f"load: expected a process group, since the file has a {NAME}; call init_process_group first, or save its "
            "state_dict(), or its module"
        )
    model = DistributedDataParallel(module, init_sync=False, **given)
    model.training = bool(is_training)
    return model
