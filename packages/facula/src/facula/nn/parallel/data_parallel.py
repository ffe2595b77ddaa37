"""Splitting a batch over several devices: the first device receives the whole batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from facula_errors import InvalidTypeError, OperationError
from facula_errors.extend import boundary
from facula_tensor import Tensor

from ... import cuda
from ..._functions.rare import device_index
from ..._lookup.names import publish
from ..._lookup.siblings import needs
from ..._types import AnyValue

with needs("facula.nn.parallel"):
    from facula_nn import Module

__all__ = ["DataParallel", "data_parallel"]

M = TypeVar("M", bound=Module)


def check_devices(operation: str, module: object, device_ids: Sequence[object] | None) -> list[int]:
    """Check a module, and return the indices of CUDA devices; all of them if `device_ids` is None."""
    if not isinstance(module, Module):
        raise InvalidTypeError(f"{operation}: expected module to be a Module; got {type(module).__name__}")
    count = cuda.device_count()
    if device_ids is None:
        return list(range(count))
    found = [device_index(device) or 0 for device in device_ids]
    if any(index not in range(count) for index in found):
        expected = f"indices below {count}, the number of CUDA devices" if count else "None, as there is no CUDA device"
        raise OperationError(f"{operation}: expected device_ids to be {expected}; got {device_ids}")
    return found


def on_device(values: AnyValue, index: int | None) -> AnyValue:
    """Return containers with their tensors on a CUDA device; None leaves them where they are."""
    if index is None:
        return values
    from ...utils._pytree import tree_map

    return tree_map(lambda value: value.cuda(index) if isinstance(value, Tensor) else value, values)


@boundary
class DataParallel(Module, Generic[M]):
    """A wrapper that calls `self.module` with the whole batch, which it does not split.

    On CUDA devices, tensors among the arguments are moved to the first device, where the module must be. Parameters are
    named like PyTorch's, "module.weight".

    Arguments:
        module: the module.
        device_ids: CUDA devices or their indices, of which the first is used; all if None.
        output_device: the CUDA device to which tensors among the results are moved; the first device if None.
        dim: ignored.

    Raises:
        TypeError: `module` is not a Module.
        RuntimeError: `device_ids` names devices that do not exist.

    >>> import facula
    >>> model = DataParallel(facula.nn.Linear(2, 1))
    >>> list(model.state_dict()), model(facula.ones(4, 2)).shape
    (['module.weight', 'module.bias'], facula.Size([4, 1]))
    """

    module: M

    def __init__(
        self, module: M, device_ids: Sequence[object] | None = None, output_device: object = None, dim: int = 0
    ) -> None:
        devices = check_devices("DataParallel", module, device_ids)
        super().__init__()
        self.module = module
        self.device_ids, self.dim = devices, dim
        self.output_device: int | None = device_index(output_device, True)

    def forward(self, *inputs: object, **kwargs: object) -> AnyValue:
        first = self.device_ids[0] if self.device_ids else None
        return on_device(self.module(*on_device(inputs, first), **on_device(kwargs, first)), self.output_device)


@boundary
def data_parallel(
    module: Module,
    inputs: object,
    device_ids: Sequence[object] | None = None,
    output_device: object = None,
    dim: int = 0,
    module_kwargs: dict[str, object] | None = None,
) -> AnyValue:
    """Call `module(*inputs, **module_kwargs)` with the whole batch, as `DataParallel` does.

    Raises the errors of `DataParallel`.

    Arguments:
        module: the module.
        inputs: its positional arguments as a tuple, or the only one.
        device_ids, output_device, dim: as for `DataParallel`.
        module_kwargs: the module's keyword arguments.
    """
    arguments = inputs if isinstance(inputs, tuple) else (inputs,)
    return DataParallel(module, device_ids, output_device, dim)(*arguments, **(module_kwargs or {}))


publish(__name__)
