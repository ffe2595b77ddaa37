"""New distributed tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import facula_tensor
from facula_errors.extend import boundary

from .dtensor import DTensor
from .layout import Layout, checked_mesh, checked_placements, contiguous_stride
from .placements import Partial, Placement
from .random import drawn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .mesh import DeviceMesh


def _made(
    name: str,
    size: tuple[Any, ...],
    device_mesh: DeviceMesh | None,
    placements: Sequence[Placement] | None,
    requires_grad: bool,
    *values: Any,
    dtype: Any,
) -> DTensor:
    """Return a tensor of a function of facula_tensor, whose further arguments are `values`."""
    shape = tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    mesh = checked_mesh(name, device_mesh)
    layout = Layout(mesh, checked_placements(name, placements, mesh, len(shape)), shape, contiguous_stride(shape))
    function = getattr(facula_tensor, name)
    if name in ("rand", "randn"):
        part = drawn(name, layout, lambda: function(shape, dtype=dtype))
    else:
        part = function(layout.local_shape(), *values, dtype=dtype)
        for index, one in zip(mesh._own(name), layout.placements, strict=True):
            if one == Partial() and index and name != "empty":  # one process has the value, the others zeros
                part = part * 0
    made = DTensor._of(part, layout)
    return made.requires_grad_() if requires_grad else made


@boundary
def zeros(
    *size: Any,
    requires_grad: bool = False,
    dtype: Any = None,
    layout: object = None,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
) -> DTensor:
    """Return a DTensor of zeros; each process makes its part.

    Arguments:
        size: the lengths of the dimensions, or a tuple of them.
        requires_grad: whether the result is a leaf that requires a gradient.
        dtype: the dtype; the default one if None.
        layout: ignored.
        device_mesh: the mesh.
        placements: one for each dimension of the mesh; all `Replicate()` if None.

    >>> from facula_distributed import HashStore, destroy_process_group, init_process_group
    >>> from facula_distributed.device_mesh import init_device_mesh
    >>> init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    >>> zeros(2, 3, device_mesh=init_device_mesh("cpu", (1,))).shape
    facula.Size([2, 3])
    >>> destroy_process_group()
    """
    return _made("zeros", size, device_mesh, placements, requires_grad, dtype=dtype)


@boundary
def ones(
    *size: Any,
    requires_grad: bool = False,
    dtype: Any = None,
    layout: object = None,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
) -> DTensor:
    """Return a DTensor of ones. Arguments: those of `zeros`."""
    return _made("ones", size, device_mesh, placements, requires_grad, dtype=dtype)


@boundary
def empty(
    *size: Any,
    requires_grad: bool = False,
    dtype: Any = None,
    layout: object = None,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
) -> DTensor:
    """Return a DTensor of any values. Arguments: those of `zeros`."""
    return _made("empty", size, device_mesh, placements, requires_grad, dtype=dtype)


@boundary
def full(
    size: Sequence[int],
    fill_value: float,
    *,
    requires_grad: bool = False,
    dtype: Any = None,
    layout: object = None,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
) -> DTensor:
    """Return a DTensor of one value. The other arguments are those of `zeros`.

    Arguments:
        size: the lengths of the dimensions.
        fill_value: the value.
        requires_grad, dtype, layout, device_mesh, placements: as for `zeros`.
    """
    return _made("full", (tuple(size),), device_mesh, placements, requires_grad, fill_value, dtype=dtype)


@boundary
def rand(
    *size: Any,
    requires_grad: bool = False,
    dtype: Any = None,
    layout: object = None,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
) -> DTensor:
    """Return a DTensor of uniform random numbers, those that one process would draw. Arguments: those of `zeros`."""
    return _made("rand", size, device_mesh, placements, requires_grad, dtype=dtype)


@boundary
def randn(
    *size: Any,
    requires_grad: bool = False,
    dtype: Any = None,
    layout: object = None,
    device_mesh: DeviceMesh | None = None,
    placements: Sequence[Placement] | None = None,
) -> DTensor:
    """Return a DTensor of normal random numbers, those that one process would draw. Arguments: those of `zeros`."""
    return _made("randn", size, device_mesh, placements, requires_grad, dtype=dtype)
