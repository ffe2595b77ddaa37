"""Registrations for an operator that is known by its name, as `register_autograd`; it may be defined later."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError
from facula_errors.extend import boundary

from ._definition import CustomOpDef, operators_by_name, pending

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

NAME = re.compile(r"\w+::\w+")


def operator_named(operation: str, op: object) -> CustomOpDef:
    """An operator, given by itself or by its name."""
    found = operators_by_name.get(op) if isinstance(op, str) else op
    if not isinstance(found, CustomOpDef):
        raise ArgumentError(
            f"{operation}: expected an operator of custom_op, numpy_op or native_op, or its name; got {op!r}"
        )
    return found


def say(operation: str, op: object, method: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call a method of an operator now, or when an operator of that name is defined.

    Packages register gradients of operators that their compiled libraries define; without these nobody does.

    Arguments:
        operation: how errors begin.
        op: the operator, or its name.
        method: of `CustomOpDef`.
        args, options: what it takes.
    """
    if isinstance(op, str) and op not in operators_by_name and NAME.fullmatch(op):
        pending.setdefault(op, []).append((method, args, options))
        return args[-1]
    return method(operator_named(operation, op), *args, **options)


@boundary
def register_autograd(
    op: CustomOpDef | str,
    backward: Callable[..., Any],
    /,
    *,
    setup_context: Callable[..., Any] | None = None,
    lib: object = None,
) -> None:
    """Give an operator its gradient: `CustomOpDef.register_autograd`, as `torch.library.register_autograd`.

    Arguments:
        op: the operator, or its name. One that is not defined yet gets the gradient when it is.
        backward: `backward(ctx, *grads)`, which gives a gradient for each argument.
        setup_context: `setup_context(ctx, inputs, output)`, which keeps what `backward` needs.
        lib: accepted for PyTorch's sake; nothing depends on it.
    """
    say("register_autograd", op, CustomOpDef.register_autograd, backward, setup_context=setup_context)


@boundary
def register_fake(op: CustomOpDef | str, func: Callable[..., Any] | None = None, /, *, lib: object = None) -> Any:
    """Say what an operator's results look like: `CustomOpDef.register_fake`, as `torch.library.register_fake`.

    Arguments:
        op: the operator, or its name. One that is not defined yet gets the function when it is.
        func: gives empty tensors of the results' shapes and dtypes; without it, what is returned decorates one.
        lib: accepted for PyTorch's sake; nothing depends on it.
    """
    if func is None:
        return lambda function: register_fake(op, function)
    return say("register_fake", op, CustomOpDef.register_fake, func)


@boundary
def register_vmap(op: CustomOpDef | str, func: Callable[..., Any] | None = None, /, *, lib: object = None) -> Any:
    """Say how an operator computes a batch: `CustomOpDef.register_vmap`, as `torch.library.register_vmap`.

    Arguments:
        op: the operator, or its name.
        func: `func(info, in_dims, *args, **kwargs)`, which gives (output, out_dims); without it, what is returned
            decorates one.
        lib: accepted for PyTorch's sake; nothing depends on it.
    """
    if func is None:
        return lambda function: register_vmap(op, function)
    return say("register_vmap", op, CustomOpDef.register_vmap, func)


@boundary
def register_kernel(
    op: CustomOpDef | str,
    device_types: str | Sequence[str] | None,
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: object = None,
) -> Any:
    """Say which function computes an operator on some devices: `CustomOpDef.register_kernel`.

    Arguments:
        op: the operator, or its name.
        device_types: as "cpu" or "cuda", several in a list; None for all that have no function of their own.
        func: takes what the operator does; without it, what is returned decorates one.
        lib: accepted for PyTorch's sake; nothing depends on it.
    """
    if func is None:
        return lambda function: register_kernel(op, device_types, function)
    return say("register_kernel", op, CustomOpDef.register_kernel, device_types, func)
