"""Splitting a batch over several CUDA devices."""

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
from ._replicas import gather, run_on_devices, scatter_kwargs

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
    """A wrapper that runs `self.module` on parts of a batch, each on its CUDA device, and joins the results.

    The module must be on the first device. Its parameters are copied to the others in each call, and their gradients
    are added up on the first. Without CUDA devices, the wrapper calls the module with the whole batch. Parameters are
    named like PyTorch's, "module.weight".

    Arguments:
        module: the module.
        device_ids: CUDA devices or their indices; all if None.
        output_device: the CUDA device of the results; the first device if None.
        dim: the dimension in which tensors among the arguments and results are divided.

    Raises:
        TypeError: `module` is not a Module.
        RuntimeError: `device_ids` names devices that do not exist, or the module is not on the first device.

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
        if len(self.device_ids) > 1:
            self._check_place(first)
            parts, named = scatter_kwargs(inputs, kwargs, self.device_ids, self.dim)
            results = run_on_devices(self.module, parts, named, self.device_ids)
            if len(results) > 1:
                return gather(results, first if self.output_device is None else self.output_device, self.dim)
            return on_device(results[0], self.output_device)
        return on_device(self.module(*on_device(inputs, first), **on_device(kwargs, first)), self.output_device)

    def _check_place(self, index: int | None) -> None:
        for name, tensor in (*self.module.named_parameters(), *self.module.named_buffers()):
            if str(tensor.device) != f"cuda:{index}":
                raise OperationError(
                    f"DataParallel: expected the module on cuda:{index}, the first of device_ids; got {name} on "
                    f"{tensor.device}. Call model.to('cuda:{index}')"
                )


@boundary
def data_parallel(
    module: Module,
    inputs: object,
    device_ids: Sequence[object] | None = None,
    output_device: object = None,
    dim: int = 0,
    module_kwargs: dict[str, object] | None = None,
) -> AnyValue:
    """Call `module(*inputs, **module_kwargs)` on parts of the batch, as `DataParallel` does.

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
