"""Training with several processes, each with a part of the batch: so far with one, the model itself."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, TypeVar

from facula_errors import InvalidTypeError, InvalidValueError, OperationError, UnsupportedError
from facula_errors.extend import boundary

from ..._functions.rare import device_index
from ..._lookup.names import publish
from ..._lookup.siblings import needs
from ..._types import AnyValue
from .data_parallel import check_devices, on_device

with needs("facula.nn.parallel"):
    from facula_distributed.extend import default_group, group_of
    from facula_nn import Module

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...distributed import ProcessGroup

__all__ = ["DistributedDataParallel"]

M = TypeVar("M", bound=Module)


@boundary
class DistributedDataParallel(Module, Generic[M]):
    """A wrapper of `self.module` that averages gradients over all processes. So far there must be one process.

    Parameters are named like PyTorch's, "module.weight". Call `distributed.init_process_group` first.

    Arguments:
        module: the module, which has a parameter that requires a gradient.
        device_ids: the CUDA device of the module, to which tensors among the arguments are moved; or None.
        output_device: the CUDA device to which tensors among the results are moved; or None.
        dim: ignored.
        broadcast_buffers, init_sync: ignored.
        process_group: the process group; all processes if None.
        bucket_cap_mb, gradient_as_bucket_view, static_graph: ignored.
        find_unused_parameters, check_reduction: ignored.
        mixed_precision: None: use `autocast`.
        device_mesh: None.

    Raises:
        ValueError: there is no process group, or `device_ids` names several devices.
        RuntimeError: no parameter requires a gradient.
        NotImplementedError: a group of several processes, `mixed_precision`, or `device_mesh`.

    >>> import facula
    >>> from facula.distributed import HashStore, destroy_process_group, init_process_group
    >>> init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    >>> model = DistributedDataParallel(facula.nn.Linear(2, 1))
    >>> list(model.state_dict()), model(facula.ones(4, 2)).shape
    (['module.weight', 'module.bias'], facula.Size([4, 1]))
    >>> destroy_process_group()
    """

    module: M

    def __init__(
        self,
        module: M,
        device_ids: Sequence[object] | None = None,
        output_device: object = None,
        dim: int = 0,
        broadcast_buffers: bool = True,
        init_sync: bool = True,
        process_group: ProcessGroup | None = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        mixed_precision: object = None,
        device_mesh: object = None,
    ) -> None:
        name = "DistributedDataParallel"
        if not isinstance(module, Module):
            raise InvalidTypeError(f"{name}: expected module to be a Module; got {type(module).__name__}")
        group = default_group() if process_group is None else group_of(name, process_group)
        if group is not None and group.size() > 1:
            raise UnsupportedError(
                f"{name}: expected a group of 1 process; got one of {group.size()}, whose gradients it cannot "
                "average yet; call all_reduce(parameter.grad, ReduceOp.AVG) for each parameter after backward()"
            )
        if not any(parameter.requires_grad for parameter in module.parameters()):
            raise OperationError(
                f"{name}: expected a module with a parameter that requires a gradient; use it as it is"
            )
        if device_ids and len(device_ids) > 1:
            raise InvalidValueError(f"{name}: expected device_ids to be one device, the module's; got {device_ids}")
        devices = check_devices(name, module, device_ids or [])
        if mixed_precision is not None or device_mesh is not None:
            option = "device_mesh" if mixed_precision is None else "mixed_precision"
            raise UnsupportedError(f"{name}: expected {option}=None; other values are not implemented")
        super().__init__()
        self.module = module
        self.process_group = group
        self.device = next(module.parameters()).device
        self.device_ids: list[int] | None = devices or None
        self.output_device: int | None = device_index(output_device, True)
        self.device_type = self.device.type
        self.dim, self.broadcast_buffers, self.bucket_cap_mb = dim, broadcast_buffers, bucket_cap_mb
        self.find_unused_parameters, self.static_graph = find_unused_parameters, static_graph
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.require_backward_grad_sync = True

    def forward(self, *inputs: object, **kwargs: object) -> AnyValue:
        index = self.device_ids[0] if self.device_ids else None
        return on_device(self.module(*on_device(inputs, index), **on_device(kwargs, index)), self.output_device)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Keep the gradients of backward passes in the block local to this process. A no-op with one process."""
        former, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = former

    @contextmanager
    def join(
        self, divide_by_initial_world_size: bool = True, enable: bool = True, throw_on_early_termination: bool = False
    ) -> Iterator[None]:
        """Allow different numbers of batches per process. A no-op with one process.

        Arguments:
            divide_by_initial_world_size, enable, throw_on_early_termination: ignored.
        """
        yield

    def register_comm_hook(self, state: object, hook: object) -> None:
        """Register a function that averages gradients. NotImplementedError: not supported yet."""
        raise UnsupportedError(
            "register_comm_hook: with one process there is no communication yet; register hooks of parameters instead"
        )

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "process_group"}

    def __setstate__(self, state: dict[str, object]) -> None:
        super().__setstate__({**state, "process_group": default_group()})


publish(__name__)
