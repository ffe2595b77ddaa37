"""What PyTorch's programs ask of transforms besides derivatives: to look inside, and to remove changes in place."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

from facula_autograd.extend import check_callable
from facula_errors import ArgumentError
from facula_errors.extend import boundary

from .._core.tensor import Tensor
from .._core.wrapped import LevelLayout
from .._dispatch.view_call import as_tensor

if TYPE_CHECKING:
    from collections.abc import Callable


@boundary
def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """The tensor that a transform wraps, to be printed: the whole batch, or the primal; others as they are.

    Computing with it loses derivatives and batches.

    Arguments:
        tensor: the tensor.
        recurse: take all levels off, rather than the innermost one.

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
    """A function that does what `func` does. PyTorch's removes changes in place for its tracers; here nothing traces.

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
