"""`custom_op`: an operator of a function of whole tensors, under the name and with the arguments of `torch.library`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors.extend import boundary

from ._arguments import Arguments, signature_of
from ._definition import CustomOpDef, defined, device_types_of

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
    """One operator of a function of tensors, which what happens inside does not show: `torch.library.custom_op`.

    The function gets plain tensors, which want no gradient, and returns new ones: a tensor, a tuple or a list of them,
    with numbers and None among them; or, given back, an argument that it changed. Its arguments are tensors, lists of
    tensors and anything else, keyword-only ones too. Annotations are not needed. Without `register_autograd` the
    operator has no gradient.

    Arguments:
        name: as "mylib::square".
        fn: the function; without it, what is returned decorates one.
        mutates_args: the names of the arguments that it changes in place, "unknown" for all. Their versions count the
            change, and a change of any other is an error.
        device_types: of the devices that the function serves, as "cpu"; all if None.
        schema: accepted for PyTorch's sake; the function's signature says it.

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
    return defined("custom_op", name, fn, lambda known_as: CustomOpDef(known_as, fn, arguments, types))
