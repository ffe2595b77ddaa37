"""What is said of an operator that is known by its name: `register_autograd` and its kin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError
from facula_errors.extend import boundary

from ._definition import CustomOpDef, known

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def operator_named(operation: str, op: object) -> CustomOpDef:
    """An operator, given by itself or by its name."""
    found = known.get(op) if isinstance(op, str) else op
    if not isinstance(found, CustomOpDef):
        raise ArgumentError(
            f"{operation}: expected an operator of custom_op, numpy_op or native_op, or its name; got {op!r}"
        )
    return found


@boundary
def register_autograd(
    op: CustomOpDef | str,
    backward: Callable[..., Any],
    /,
    *,
    setup_context: Callable[..., Any] | None = None,
) -> None:
    """Give an operator its gradient: `CustomOpDef.register_autograd`, as `torch.library.register_autograd`.

    Arguments:
        op: the operator, or its name.
        backward: `backward(ctx, *grads)`, which gives a gradient for each argument.
        setup_context: `setup_context(ctx, inputs, output)`, which keeps what `backward` needs.
    """
    operator_named("register_autograd", op).register_autograd(backward, setup_context=setup_context)


@boundary
def register_fake(op: CustomOpDef | str, func: Callable[..., Any] | None = None, /) -> Any:
    """Say what an operator's results look like: `CustomOpDef.register_fake`, as `torch.library.register_fake`.

    Arguments:
        op: the operator, or its name.
        func: gives empty tensors of the results' shapes and dtypes; without it, what is returned decorates one.
    """
    found = operator_named("register_fake", op)
    return found.register_fake if func is None else found.register_fake(func)


@boundary
def register_vmap(op: CustomOpDef | str, func: Callable[..., Any] | None = None, /) -> Any:
    """Say how an operator computes a batch: `CustomOpDef.register_vmap`, as `torch.library.register_vmap`.

    Arguments:
        op: the operator, or its name.
        func: `func(info, in_dims, *args, **kwargs)`, which gives (output, out_dims); without it, what is returned
            decorates one.
    """
    found = operator_named("register_vmap", op)
    return found.register_vmap if func is None else found.register_vmap(func)


@boundary
def register_kernel(
    op: CustomOpDef | str,
    device_types: str | Sequence[str] | None,
    func: Callable[..., Any] | None = None,
    /,
) -> Any:
    """Say which function computes an operator on some devices: `CustomOpDef.register_kernel`.

    Arguments:
        op: the operator, or its name.
        device_types: as "cpu" or "cuda", several in a list; None for all that have no function of their own.
        func: takes what the operator does; without it, what is returned decorates one.
    """
    return operator_named("register_kernel", op).register_kernel(device_types, func)
