"""`custom_op`: declare an operator by a function of whole tensors, as `torch.library` does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors.extend import boundary

from ._arguments import Arguments, signature_of
from ._definition import CustomOpDef, create_operator, device_types_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


@boundary
def custom_op(
    name: str,
    fn: Callable[..., Any] | None = None,
    /,
    *,
    mutates_args: Iterable[str] = (),
    device_types: str | Sequence[str] | None = None,
    schema: str | None = None,
) -> Any:
    """Create an operator from a function of tensors; its implementation is opaque: `torch.library.custom_op`.

    The function receives plain tensors that do not require gradients. It returns new tensors: one, or a tuple or list
    of them, optionally with numbers and None. It may also return an argument that it modified. Arguments, including
    keyword-only ones, can be tensors, lists of tensors or any other objects. Annotations are not needed. The operator
    has no gradient until `register_autograd` is called.

    Arguments:
        name: the qualified name, for example "mylib::square".
        fn: the function; if omitted, `custom_op` returns a decorator.
        mutates_args: the names of the arguments that it modifies in place, "unknown" for all. Their versions are
            incremented; modifying any other argument raises an error.
        device_types: the types of devices that the function supports, for example "cpu"; all if None.
        schema: accepted for PyTorch compatibility; the function's signature determines the schema.

    Returns:
        A `CustomOpDef`, with `register_autograd`, `register_fake`, `register_vmap` and `register_kernel`.

    >>> from facula_tensor import tensor
    >>> @custom_op("mylib::square", mutates_args=())
    ... def square(x):
    ...     return x * x
    >>> square.register_autograd(
    ...     lambda ctx, grad: 2 * grad * ctx.saved_tensors[0],
    ...     setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs),
    ... )
    >>> square(tensor([1.0, 3.0], requires_grad=True))
    tensor([1., 9.], grad_fn=<squareBackward>)
    """
    if fn is None:
        return lambda function: custom_op(
            name, function, mutates_args=mutates_args, device_types=device_types, schema=schema
        )
    arguments = Arguments("custom_op", signature_of("custom_op", fn), mutates_args)
    types = device_types_of("custom_op", device_types)
    return create_operator("custom_op", name, fn, lambda known_as: CustomOpDef(known_as, fn, arguments, types))
