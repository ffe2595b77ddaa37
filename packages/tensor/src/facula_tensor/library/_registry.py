"""Registrations by the name of an operator, such as `register_autograd`; it may be defined later."""

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
    """Return an operator given by the object or by its name."""
    found = operators_by_name.get(op) if isinstance(op, str) else op
    if not isinstance(found, CustomOpDef):
        raise ArgumentError(
            f"{operation}: expected an operator of custom_op, numpy_op or native_op, or its name; got {op!r}"
        )
    return found


def register_or_defer(operation: str, op: object, method: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """Call a method of an operator now, or when an operator with that name is defined.

    Packages register gradients for operators of their compiled libraries. Without those libraries the registrations
    stay pending and have no effect.

    Arguments:
        operation: the prefix of error messages.
        op: the operator or its name.
        method: a method of `CustomOpDef`.
        args, options: the method's arguments.
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
    """Register an operator's gradient: `CustomOpDef.register_autograd`, as `torch.library.register_autograd`.

    Arguments:
        op: the operator or its name. If it is not defined yet, the gradient is registered when it is.
        backward: `backward(ctx, *grads)`, which returns a gradient for each argument.
        setup_context: `setup_context(ctx, inputs, output)`, which saves the values that `backward` needs.
        lib: accepted for PyTorch compatibility and ignored.
    """
    register_or_defer("register_autograd", op, CustomOpDef.register_autograd, backward, setup_context=setup_context)


@boundary
def register_fake(op: CustomOpDef | str, func: Callable[..., Any] | None = None, /, *, lib: object = None) -> Any:
    """Register a function for an operator's result layouts, as `torch.library.register_fake`.

    Arguments:
        op: the operator or its name. If it is not defined yet, the function is registered when it is.
        func: returns empty tensors with the results' shapes and dtypes; if omitted, a decorator is returned.
        lib: accepted for PyTorch compatibility and ignored.
    """
    if func is None:
        return lambda function: register_fake(op, function)
    return register_or_defer("register_fake", op, CustomOpDef.register_fake, func)


@boundary
def register_vmap(op: CustomOpDef | str, func: Callable[..., Any] | None = None, /, *, lib: object = None) -> Any:
    """Register an operator's batching rule: `CustomOpDef.register_vmap`, as `torch.library.register_vmap`.

    Arguments:
        op: the operator or its name.
        func: `func(info, in_dims, *args, **kwargs)`, which returns (output, out_dims); if omitted, a decorator is
            returned.
        lib: accepted for PyTorch compatibility and ignored.
    """
    if func is None:
        return lambda function: register_vmap(op, function)
    return register_or_defer("register_vmap", op, CustomOpDef.register_vmap, func)


@boundary
def register_kernel(
    op: CustomOpDef | str,
    device_types: str | Sequence[str] | None,
    func: Callable[..., Any] | None = None,
    /,
    *,
    lib: object = None,
) -> Any:
    """Register the function that computes an operator on some devices: `CustomOpDef.register_kernel`.

    Arguments:
        op: the operator or its name.
        device_types: for example "cpu" or "cuda", or a list of types; None for all without a function of their own.
        func: accepts the operator's arguments; if omitted, a decorator is returned.
        lib: accepted for PyTorch compatibility and ignored.
    """
    if func is None:
        return lambda function: register_kernel(op, device_types, function)
    return register_or_defer("register_kernel", op, CustomOpDef.register_kernel, device_types, func)
