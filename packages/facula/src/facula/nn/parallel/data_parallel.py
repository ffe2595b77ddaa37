"""Splitting a batch over several devices: the only device receives the whole batch."""

from __future__ import annotations

from typing import Generic, TypeVar

from facula_errors import InvalidTypeError, OperationError
from facula_errors.extend import boundary

from ..._lookup.names import publish
from ..._lookup.siblings import needs
from ..._types import AnyValue

with needs("facula.nn.parallel"):
    from facula_nn import Module

__all__ = ["DataParallel", "data_parallel"]

M = TypeVar("M", bound=Module)


def _check(operation: str, module: object, device_ids: object) -> None:
    if not isinstance(module, Module):
        raise InvalidTypeError(f"{operation}: expected module to be a Module; got {type(module).__name__}")
    if device_ids:
        raise OperationError(
            f"{operation}: expected device_ids to be None, as there is no device beside the CPU yet; got {device_ids}"
        )


@boundary
class DataParallel(Module, Generic[M]):
    """A wrapper that calls `self.module` directly: there is one device, so the batch is not split.

    Parameters are named like PyTorch's, "module.weight".

    Arguments:
        module: the module.
        device_ids: None or empty: there are no devices other than the CPU.
        output_device, dim: ignored.

    Raises:
        TypeError: `module` is not a Module.
        RuntimeError: `device_ids` names devices.

    >>> import facula
    >>> model = DataParallel(facula.nn.Linear(2, 1))
    >>> list(model.state_dict()), model(facula.ones(4, 2)).shape
    (['module.weight', 'module.bias'], facula.Size([4, 1]))
    """

    module: M

    def __init__(self, module: M, device_ids: object = None, output_device: object = None, dim: int = 0) -> None:
        _check("DataParallel", module, device_ids)
        super().__init__()
        self.module = module
        self.device_ids: list[int] = []

    def forward(self, *inputs: object, **kwargs: object) -> AnyValue:
        return self.module(*inputs, **kwargs)


@boundary
def data_parallel(
    module: Module,
    inputs: object,
    device_ids: object = None,
    output_device: object = None,
    dim: int = 0,
    module_kwargs: dict[str, object] | None = None,
) -> AnyValue:
    """Call `module(*inputs, **module_kwargs)`: there is one device, so the batch is not split.

    Raises the errors of `DataParallel`.

    Arguments:
        module: the module.
        inputs: its positional arguments as a tuple, or the only one.
        device_ids: None or empty: there are no devices other than the CPU.
        output_device, dim: ignored.
        module_kwargs: the module's keyword arguments.
    """
    _check("data_parallel", module, device_ids)
    arguments = inputs if isinstance(inputs, tuple) else (inputs,)
    return module(*arguments, **(module_kwargs or {}))


publish(__name__)
