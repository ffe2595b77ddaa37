"""`numpy_op`: declare an operator by a function of NumPy arrays."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_autograd.extend.transforms import put_together, take_apart
from facula_errors import FaculaError, InvalidTypeError
from facula_errors.extend import boundary

from .._core.tensor import Tensor
from .._creation.from_memory import from_numpy
from ._arguments import Arguments, signature_of
from ._definition import CustomOpDef, create_operator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


@boundary
def numpy_op(function: Callable[..., Any] | None = None, /, *, mutates_args: Iterable[str] = ()) -> Any:
    """Create an operator from a function of NumPy arrays.

    The function receives arrays that share the tensors' memory, without a copy. They are read-only unless
    `mutates_args` names them. It returns an array, a number, or a tuple of several. Arguments that are not tensors are
    passed unchanged, lists of tensors as lists of arrays. The operator has no gradient until `register_autograd` is
    called.

    Arguments:
        function: the function, whose name becomes the operator's; if omitted, `numpy_op` returns a decorator.
        mutates_args: the names of the arguments that it modifies in place; "unknown" for all.

    >>> import numpy as np
    >>> from facula_tensor import tensor
    >>> @numpy_op
    ... def unwrap(phase):
    ...     return np.unwrap(phase)
    >>> unwrap.register_autograd(lambda ctx, grad: grad)  # jumps are constant
    >>> unwrap(tensor([3.0, -3.0], requires_grad=True))
    tensor([3.0000, 3.2832], grad_fn=<unwrapBackward>)
    """
    if function is None:
        return lambda given: numpy_op(given, mutates_args=mutates_args)
    arguments = Arguments("numpy_op", signature_of("numpy_op", function), mutates_args)
    name = getattr(function, "__name__", type(function).__name__).strip("<>")

    @wraps(function)
    def of_tensors(*args: Any, **named: Any) -> Any:
        changed = {id(tensor) for tensor in arguments.tensors_changed(name, args, named)}
        leaves, shape = take_apart((args, named))
        own = [array_of(leaf, id(leaf) in changed) if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        given, by_name = put_together(shape, own)
        arrays = [array for array in own if isinstance(array, np.ndarray)]
        found = function(*given, **by_name)
        if type(found) is tuple:
            return tuple([tensor_of(name, array, arrays) for array in found])
        return None if found is None and changed else tensor_of(name, found, arrays)

    return create_operator("numpy_op", name, of_tensors, lambda known_as: CustomOpDef(known_as, of_tensors, arguments))


def array_of(tensor: Tensor, writable: bool) -> np.ndarray[Any, Any]:
    """Return an array over a tensor's memory, read-only unless `writable`."""
    array: np.ndarray[Any, Any] = tensor.detach().numpy().view()
    array.flags.writeable = writable
    return array


def tensor_of(name: str, found: Any, arrays: list[np.ndarray[Any, Any]]) -> Tensor:
    """Return a result as a tensor over the array's memory, or over a copy if the memory is shared or read-only."""
    result = np.asarray(found, order="C")
    if not result.flags.writeable or any([np.may_share_memory(result, array) for array in arrays]):
        result = result.copy()
    arrays.append(result)
    try:
        return from_numpy(result)
    except FaculaError:
        raise InvalidTypeError(f"{name}: expected its function to return numbers; got {result.dtype}") from None
