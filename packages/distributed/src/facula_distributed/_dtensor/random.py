"""Random numbers of distributed tensors: those that one process would draw for the whole tensor.

Note [Whole draws]
~~~~~~~~~~~~~~~~~~
A number depends on its index in the whole tensor. So each process draws the numbers of the whole tensor, and keeps its
part. All draw from the state of the default generator of the mesh's first process. Each process's own generator
advances by the same count, so that generators with equal states keep them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidValueError
from facula_tensor import default_generator, empty, int64, no_grad, ones, tensor
from facula_tensor.extend.overriding import disable_overrides

from .._collectives.exchanges import broadcast
from .layout import Layout
from .placements import Partial

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_tensor import Tensor


def drawn(operation: str, layout: Layout, draw: Callable[[], Tensor]) -> Tensor:
    """Return this process's part of random numbers; all processes call this.

    Arguments:
        operation: the beginning of errors.
        layout: the layout of the result, without terms.
        draw: returns the whole tensor.
    """
    if any(isinstance(one, Partial) for one in layout.placements):
        raise InvalidValueError(f"{operation}: expected Shard or Replicate placements; got {list(layout.placements)}")
    own = default_generator
    own_key, own_offset = own._key, own._offset
    state = tensor([own_key, own_offset], dtype=int64)
    for dim, size in enumerate(layout.mesh.shape):
        if size > 1:
            broadcast(state, group=layout.mesh._groups[dim], group_src=0)
    with no_grad(), disable_overrides():
        own._key, first = state.tolist()
        own._offset = first
        try:
            whole = draw()
        finally:
            count = own._offset - first
            own._key, own._offset = own_key, own_offset + count
        part = whole[tuple([slice(*ends) for ends in layout.box()])] if layout.shape else whole
        return part.contiguous() if part.numel() == whole.numel() else part.clone().contiguous()


def fill(kind: Any, name: str, func: Any, args: Any, kwargs: Any) -> Any:
    """Fill a tensor with random numbers, in place. Arguments: those of an entry of `COMPOSITES`."""
    target = args[0]
    layout, dtype = target._spec, target.dtype
    part = drawn(name, layout, lambda: func(empty(layout.shape, dtype=dtype), *args[1:], **kwargs))
    with disable_overrides():
        target.copy_(part)
    return target


def like(kind: Any, name: str, func: Any, args: Any, kwargs: Any) -> Any:
    """Return random numbers distributed as a tensor. Arguments: those of an entry of `COMPOSITES`."""
    layout, dtype = args[0]._spec, args[0].dtype
    requires_grad = kwargs.pop("requires_grad", False)
    part = drawn(name, layout, lambda: func(empty(layout.shape, dtype=dtype), *args[1:], **kwargs))
    made = kind._of(part, layout)
    return made.requires_grad_() if requires_grad else made


def dropout(kind: Any, name: str, func: Any, args: Any, kwargs: Any) -> Any:
    """Drop elements. Arguments: those of an entry of `COMPOSITES`."""
    given = dict(zip(("input", "p", "training", "inplace"), args, strict=False), **kwargs)
    x, inplace = given.pop("input"), given.pop("inplace", False)
    if not given.get("training", True) or given.get("p", 0.5) == 0:
        return x
    layout = x._spec
    mask = kind._of(drawn(name, layout, lambda: func(ones(layout.shape, dtype=x.dtype), **given)), layout)
    return x.mul_(mask) if inplace else x * mask


def new(kind: Any, name: str, func: Any, args: Any, kwargs: Any) -> Any:
    """Return a new replicated tensor. Arguments: those of an entry of `COMPOSITES`."""
    with disable_overrides():
        value = func(*args, **kwargs)
    return args[0]._replicated(value)


#: Functions that are called as `function(kind, name, func, args, kwargs)`: the class of DTensors, and a call.
COMPOSITES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys("normal_ uniform_ bernoulli_ exponential_ random_ log_normal_ cauchy_ geometric_".split(), fill),
    **dict.fromkeys("rand_like randn_like".split(), like),
    **dict.fromkeys("new_zeros new_ones new_empty new_full".split(), new),
    "dropout": dropout,
}
