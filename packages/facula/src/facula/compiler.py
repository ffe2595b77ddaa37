"""facula.compiler: compilation, which there is none of. What is marked for it stays what it is: eager code is quick."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeVar, overload

from facula_errors import InvalidTypeError, OperationError
from facula_errors.extend import boundary, warn

from ._names import publish

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable", "is_compiling",
    "is_dynamo_compiling", "is_exporting", "list_backends", "nested_compile_region", "reset", "set_stance",
    "substitute_in_graph",
]  # fmt: skip

F = TypeVar("F", bound="Callable[..., object]")
_noticed: list[None] = []  # whether the notice was given
_BACKENDS = (
    "inductor", "eager", "aot_eager", "cudagraphs", "tvm", "openxla", "ts", "aot_ts", "eager_debug", "eager_noexcept",
    "pre_dispatch_eager", "aot_eager_decomp_partition", "aot_eager_default_partitioner",
)  # fmt: skip
_MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs", "lite")


@overload
def compile(
    model: F, *, fullgraph: bool = ..., dynamic: bool | None = ..., backend: object = ..., mode: str | None = ...,
    options: object = ..., disable: bool = ...,
) -> F: ...  # fmt: skip
@overload
def compile(
    model: None = None, *, fullgraph: bool = ..., dynamic: bool | None = ..., backend: object = ...,
    mode: str | None = ..., options: object = ..., disable: bool = ...,
) -> Callable[[F], F]: ...  # fmt: skip
@boundary
def compile(
    model: F | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: object = "inductor",
    mode: str | None = None,
    options: object = None,
    disable: bool = False,
) -> F | Callable[[F], F]:
    """`model` itself, a function or a module, which runs as it is; the first call says so in a warning.

    Arguments:
        model: the function or module; without it, a decorator is returned.
        fullgraph, dynamic, options: no difference.
        backend: a function, or the name of one of PyTorch's compilers, which is not used.
        mode: one of PyTorch's modes, which changes nothing.
        disable: give no warning.

    Raises:
        TypeError: `model` cannot be called.
        RuntimeError: PyTorch has no such backend or mode, or both `mode` and `options` are given.

    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     double = compile(lambda x: x * 2)
    >>> double(3)
    6
    """
    if not callable(backend) and backend not in _BACKENDS:
        known = ", ".join(_BACKENDS)
        raise OperationError(f"compile: expected backend to be a function or one of {known}; got {backend!r}")
    if mode is not None and mode not in _MODES:
        raise OperationError(f"compile: expected mode to be one of {', '.join(_MODES)}; got {mode!r}")
    if mode is not None and options is not None:
        raise OperationError("compile: expected mode or options; got both; leave one of them out")
    if model is None:
        return partial(compile, disable=disable)
    if not callable(model):
        raise InvalidTypeError(f"compile: expected a function or a module; got {type(model).__name__} {model!r:.60}")
    if not disable and not _noticed:
        _noticed.append(None)
        warn(
            "compile: facula compiles nothing, and runs functions and modules as they are: eager code is the quick one"
        )
    return model


def is_compiling() -> bool:
    """Whether code is being compiled: False.

    >>> is_compiling()
    False
    """
    return False


def is_dynamo_compiling() -> bool:
    """Whether code is being compiled: False."""
    return False


def is_exporting() -> bool:
    """Whether code is being exported: False."""
    return False


def list_backends(exclude_tags: object = ("debug", "experimental")) -> list[str]:
    """The names of compilers: none."""
    return []


def reset() -> None:
    """Forget what was compiled: nothing was."""


def cudagraph_mark_step_begin() -> None:
    """Say that a step begins: nothing is waiting to know."""


@overload
def disable(fn: F, recursive: bool = ..., *, reason: str | None = ...) -> F: ...
@overload
def disable(fn: None = None, recursive: bool = ..., *, reason: str | None = ...) -> Callable[[F], F]: ...
def disable(fn: F | None = None, recursive: bool = True, *, reason: str | None = None) -> F | Callable[[F], F]:
    """`fn` itself, which is not compiled anyway.

    Arguments:
        fn: the function; without it, a decorator is returned.
        recursive, reason: no difference.

    >>> @disable
    ... def f(x):
    ...     return x + 1
    >>> f(1)
    2
    """
    return (lambda function: function) if fn is None else fn


def allow_in_graph(fn: F) -> F:
    """`fn` itself: it is not compiled."""
    return fn


def assume_constant_result(fn: F) -> F:
    """`fn` itself: it is not compiled."""
    return fn


@overload
def nested_compile_region(fn: F, **options: object) -> F: ...
@overload
def nested_compile_region(fn: None = None, **options: object) -> Callable[[F], F]: ...
def nested_compile_region(fn: F | None = None, **options: object) -> F | Callable[[F], F]:
    """`fn` itself: it is not compiled. Without it, a decorator."""
    return (lambda function: function) if fn is None else fn


def substitute_in_graph(
    original_fn: object, *, can_constant_fold_through: bool = False, skip_signature_check: bool = False
) -> Callable[[F], F]:
    """A decorator that gives functions back as they are: nothing is compiled with them.

    Arguments:
        original_fn, can_constant_fold_through, skip_signature_check: no difference.
    """
    return lambda function: function


class set_stance:
    """Say how to compile, lastingly or for a block, or for a decorated function: nothing is compiled."""

    def __init__(self, stance: str = "default", *, force_backend: object = None, **options: object) -> None:
        self.stance = stance

    def __enter__(self) -> set_stance:
        return self

    def __exit__(self, *exc: object) -> None:
        pass

    def __call__(self, fn: F) -> F:
        return fn


publish(__name__)
