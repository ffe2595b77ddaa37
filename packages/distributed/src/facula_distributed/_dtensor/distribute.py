"""Distribution of whole tensors and of modules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary
from facula_tensor import Parameter, Tensor, no_grad
from facula_tensor.extend.overriding import disable_overrides

from .._collectives.exchanges import broadcast
from .dtensor import DTensor
from .layout import Layout, checked_mesh, checked_placements, contiguous_stride
from .placements import Replicate
from .redistribute import redistributed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .mesh import DeviceMesh
    from .placements import Placement


@boundary
def distribute_tensor(
    tensor: Tensor,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
    *,
    src_data_rank: int | None = 0,
) -> DTensor:
    """Return the DTensor of a whole tensor, with the values of the first process of the mesh; all processes call this.

    Arguments:
        tensor: the whole tensor, of the same shape and dtype on all processes.
        device_mesh: the mesh.
        placements: one for each dimension of the mesh; all `Replicate()` if None.
        src_data_rank: the process along each dimension of the mesh whose values are taken; None for each one's own.

    Returns:
        A leaf that requires a gradient if `tensor` does.

    Raises:
        ValueError: placements that do not fit.
        RuntimeError: this process is not in the mesh.

    >>> from facula_distributed import HashStore, destroy_process_group, init_process_group
    >>> from facula_distributed.device_mesh import init_device_mesh
    >>> from facula_tensor import arange
    >>> init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    >>> distribute_tensor(arange(4), init_device_mesh("cpu", (1,)), [Shard(0)]).to_local()
    tensor([0, 1, 2, 3])
    >>> destroy_process_group()
    """
    operation = "distribute_tensor"
    if not isinstance(tensor, Tensor):
        raise InvalidTypeError(f"{operation}: expected a Tensor; got {type(tensor).__name__}")
    mesh = checked_mesh(operation, device_mesh)
    found = checked_placements(operation, placements, mesh, tensor.ndim)
    if isinstance(tensor, DTensor):
        if tensor._spec.mesh != mesh or tensor._spec.placements != found:
            raise InvalidValueError(
                f"{operation}: expected a plain tensor; got a DTensor with {list(tensor._spec.placements)}; use "
                "redistribute"
            )
        return tensor
    shape = tuple(tensor.shape)
    with no_grad(), disable_overrides():
        local = tensor.detach()
        if src_data_rank is not None and mesh.size() > 1:
            local = local.clone().contiguous()
            for dim, size in enumerate(mesh.shape):
                if size > 1:
                    broadcast(local, group=mesh._groups[dim], group_src=src_data_rank)
        layout = Layout(mesh, (Replicate(),) * mesh.ndim, shape, contiguous_stride(shape))
        local = redistributed(local, layout, found)
        made = DTensor._of(local, layout.with_placements(found))
        made.requires_grad_(tensor.requires_grad)
    return made


def distribute_module(
    module: Any,
    device_mesh: DeviceMesh | None = None,
    partition_fn: Callable[[str, Any, DeviceMesh], None] | None = None,
    input_fn: Callable[..., Any] | None = None,
    output_fn: Callable[..., Any] | None = None,
) -> Any:
    """Make the parameters and buffers of a module DTensors, and return the module; all processes call this.

    Arguments:
        module: the module.
        device_mesh: the mesh.
        partition_fn: called as `partition_fn(name, submodule, mesh)`, to distribute parameters; those that are left
            plain are replicated.
        input_fn: called as `input_fn(module, inputs, mesh)` before the forward pass; returns the inputs.
        output_fn: called as `output_fn(module, outputs, mesh)` after it; returns the outputs.
    """
    mesh = checked_mesh("distribute_module", device_mesh)
    for name, part in list(module.named_modules()):
        if partition_fn is not None:
            partition_fn(name, part, mesh)
        for key, parameter in list(part._parameters.items()):
            if parameter is not None and not isinstance(parameter, DTensor):
                made = Parameter(distribute_tensor(parameter.detach(), mesh), requires_grad=parameter.requires_grad)
                part.register_parameter(key, made)
        for key, buffer in list(part._buffers.items()):
            if buffer is not None and not isinstance(buffer, DTensor):
                part._buffers[key] = distribute_tensor(buffer, mesh)
    if input_fn is not None:
        module.register_forward_pre_hook(lambda one, inputs: input_fn(one, inputs, mesh))
    if output_fn is not None:
        module.register_forward_hook(lambda one, inputs, outputs: output_fn(one, outputs, mesh))
    return module
