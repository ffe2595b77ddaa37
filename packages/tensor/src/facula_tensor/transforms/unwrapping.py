"""Functions on transforms other than derivatives: inspect wrapped tensors, and remove in-place changes."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.transforms import check_callable
from facula_errors import ArgumentError
from facula_errors.extend import boundary

from .._core.tensor import Tensor
from .._core.wrapped import LevelLayout
from .._dispatch.view_call import as_tensor

if TYPE_CHECKING:
    from collections.abc import Callable


@boundary
def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """Return the tensor that a transform wraps, for printing: the whole batch, or the primal; others unchanged.

    Computing with it loses derivatives and batches.

    Arguments:
        tensor: the tensor.
        recurse: unwrap all levels instead of only the innermost one.

    >>> from facula_tensor import tensor
    >>> from facula_tensor.func import vmap
    >>> _ = vmap(lambda x: (print(debug_unwrap(x)), x)[1])(tensor([1.0, 2.0]))
    tensor([1., 2.])
    """
    found: Any = as_tensor("debug_unwrap", tensor)
    while isinstance(found._layout, LevelLayout):
        found = found._layout.level.value(found)
        if not recurse:
            break
    return found


@boundary
def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """Return a function equivalent to `func`.

    PyTorch's version removes in-place changes for its tracers; facula has no tracer that needs it.

    Arguments:
        func: a function of tensors.
        remove: "mutations" or "mutations_and_views".

    >>> from facula_tensor import ones
    >>> functionalize(lambda x: x.clone().add_(1))(ones(2))
    tensor([2., 2.])
    """
    check_callable("functionalize", func)
    if remove not in ("mutations", "mutations_and_views"):
        raise ArgumentError(f"functionalize: expected remove 'mutations' or 'mutations_and_views'; got {remove!r}")
    return wraps(func)(lambda *args, **kwargs: func(*args, **kwargs))
