"""State dicts of `FullyShardedDataParallel`: whole tensors instead of DTensors, and the other way around."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_distributed.extend import default_group
from facula_distributed.tensor import DTensor, distribute_tensor
from facula_errors import InvalidValueError
from facula_tensor import Tensor, no_grad

from ._options import StateDictType

if TYPE_CHECKING:
    from facula_nn import Module

NAME = "FullyShardedDataParallel"


def names_of(model: Module, optim: Any) -> list[str]:
    known = {id(parameter): name for name, parameter in model.named_parameters()}
    found = [known.get(id(one)) for group in optim.param_groups for one in group["params"]]
    if None in found:
        raise InvalidValueError(
            f"{NAME}: expected an optimizer of the model's parameters; create it after the model was divided"
        )
    return found  # type: ignore[return-value]


def part_of(value: Any, like: Any) -> Any:
    """Return a whole tensor as a DTensor like a parameter, without communication; other values as they are."""
    if not isinstance(like, DTensor) or not isinstance(value, Tensor) or isinstance(value, DTensor):
        return value
    if tuple(value.shape) != tuple(like.shape):
        return value
    return distribute_tensor(value.detach(), like.device_mesh, like.placements, src_data_rank=None)


def whole(state: Any, kind: StateDictType, config: Any) -> Any:
    """Return a state with whole tensors instead of DTensors, unless the settings say otherwise."""
    if kind is not StateDictType.FULL_STATE_DICT:
        return state
    keeps = not getattr(config, "rank0_only", False) or default_group().rank() == 0

    def convert(value: Any) -> Any:
        if isinstance(value, dict):
            found = {key: convert(one) for key, one in value.items()}
            return found if keeps else {}
        if isinstance(value, DTensor):
            return value.full_tensor().detach()
        return value

    with no_grad():
        found = convert(state)
    if type(state) is not dict and keeps:
        whole = type(state)(found)
        if hasattr(state, "_metadata"):
            whole._metadata = state._metadata
        return whole
    return found
