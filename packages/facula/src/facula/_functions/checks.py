"""Checks under PyTorch's names, from `torch._check` on; rows of `_places.txt` refer to them."""

from __future__ import annotations

from typing import Any

import facula_tensor
from facula_errors import ArgumentError, InvalidTypeError, InvalidValueError, OperationError
from facula_errors.extend import boundary
from facula_tensor import Tensor
from facula_tensor.extend.arguments import refuse_unless


def _message(message: Any) -> str:
    return str(message() if callable(message) else message or "")


@boundary
def check(cond: Any, message: Any = None) -> None:
    """Raise RuntimeError with `message`, a string or a callable that returns one, unless `cond` is true."""
    check_with(OperationError, cond, message)


def check_with(error_type: type[Exception], cond: Any, message: Any = None) -> None:
    """Raise `error_type` with `message`, a string or a callable that returns one, unless `cond` is true.

    TypeError if `cond` is not a bool."""
    if not isinstance(cond, bool):
        raise InvalidTypeError(f"_check: expected cond to be True or False; got {type(cond).__name__}")
    if not cond:
        raise error_type(_message(message) or "Expected cond to be True, but got False")


@boundary
def check_index(cond: Any, message: Any = None) -> None:
    """Raise IndexError unless `cond` is true."""
    check_with(IndexError, cond, message)


@boundary
def check_value(cond: Any, message: Any = None) -> None:
    """Raise ValueError unless `cond` is true."""
    check_with(InvalidValueError, cond, message)


@boundary
def check_type(cond: Any, message: Any = None) -> None:
    """Raise TypeError unless `cond` is true."""
    check_with(InvalidTypeError, cond, message)


@boundary
def check_not_implemented(cond: Any, message: Any = None) -> None:
    """Raise NotImplementedError unless `cond` is true."""
    check_with(NotImplementedError, cond, message)


@boundary
def check_tensor_all(cond: Any, message: Any = None) -> None:
    """Raise RuntimeError unless all elements of a bool tensor are true."""
    check_tensor_all_with(OperationError, cond, message)


def check_tensor_all_with(error_type: type[Exception], cond: Any, message: Any = None) -> None:
    """Raise `error_type` unless all elements of a bool tensor are true."""
    if not isinstance(cond, Tensor) or cond.dtype is not facula_tensor.bool:
        raise InvalidTypeError(f"_check_tensor_all: expected cond to be a tensor of bools; got {type(cond).__name__}")

    def error() -> Exception:
        return error_type(_message(message) or "Expected cond to be True, but got False")

    refuse_unless(cond, error, error)


@boundary
def check_is_size(i: int, message: Any = None, *, max: int | None = None) -> None:
    """Raise RuntimeError unless `i` is a valid length, from 0 to `max`."""
    check(bool(i >= 0 and (max is None or i <= max)), message)


def assert_true(condition: Any, message: Any) -> None:
    """Assert that `condition` holds, with an error message."""
    assert condition, message


@boundary
def assert_async(input: Tensor, assert_msg: str = "") -> None:
    """Raise RuntimeError if a tensor of one element is 0."""
    if not isinstance(input, Tensor) or input.numel() != 1:
        raise ArgumentError("_assert_async: expected a tensor of one element")

    def error() -> Exception:
        return OperationError(assert_msg or "Expected a nonzero value, but got zero")

    refuse_unless(input != 0, error, error)
