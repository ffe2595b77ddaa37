"""facula.compiler: `compile`, which captures functions (facula.capture, split where necessary), and its controls."""

from __future__ import annotations

from functools import partial, update_wrapper
from inspect import isasyncgenfunction, iscoroutinefunction, isgeneratorfunction
from sys import _getframe
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload
from weakref import WeakSet

from facula_errors import InvalidTypeError, OperationError
from facula_errors.extend import boundary
from facula_errors.extend import enters_at_once as _enters_at_once
from facula_storage.extend.recording import current_recorder

from ._lookup.names import publish
from ._lookup.siblings import needs

with needs("facula.compile"):
    from facula_jit import Captured, capture
    from facula_jit.extend import never_captured, note_break, pause
    from facula_jit.extend import reset as reset_captured
    from facula_jit.passes import DEFAULT, fuse_elementwise
    from facula_nn import Module

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from facula_jit import Graph

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable", "is_compiling",
    "is_dynamo_compiling", "is_exporting", "list_backends", "nested_compile_region", "reset", "set_stance",
    "substitute_in_graph",
]  # fmt: skip

F = TypeVar("F", bound="Callable[..., object]")
_compiled: WeakSet[Captured[..., Any]] = WeakSet()
_BACKENDS = (
    "inductor", "eager", "aot_eager", "cudagraphs", "tvm", "openxla", "ts", "aot_ts", "eager_debug", "eager_noexcept",
    "pre_dispatch_eager", "aot_eager_decomp_partition", "aot_eager_default_partitioner",
)  # fmt: skip
_stance = ["default"]
_EAGER = ("eager", "eager_noexcept")  # backends that run a model unchanged
_STANCES = ("default", "eager_on_recompile", "fail_on_recompile", "force_eager", "aot_eager_then_compile")
_MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs", "lite")


@overload
def compile(
    model: F, *, fullgraph: bool = ..., dynamic: bool | None = ..., backend: object = ..., mode: str | None = ...,
    options: object = ..., name: str | None = ..., disable: bool = ..., recompile_limit: int | None = ...,
    isolate_recompiles: bool = ..., shapes_spec: object = ...,
) -> F: ...  # fmt: skip
@overload
def compile(
    model: None = None, *, fullgraph: bool = ..., dynamic: bool | None = ..., backend: object = ...,
    mode: str | None = ..., options: object = ..., name: str | None = ..., disable: bool = ...,
    recompile_limit: int | None = ..., isolate_recompiles: bool = ..., shapes_spec: object = ...,
) -> Callable[[F], F]: ...  # fmt: skip
@boundary
def compile(
    model: F | None = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: object = None,
    mode: str | None = None,
    options: object = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: object = None,
) -> F | Callable[[F], F]:
    """Capture a function or module: record its tensor work on the first call with each signature, and replay it later.

    Equivalent to `capture(model, on_break="split")`, under PyTorch's signature. Where a line cannot be captured (it
    reads a value), the code before and after it is captured. A generator or coroutine runs eagerly. A module is wrapped
    in an `OptimizedModule`, which stores it as `_orig_mod`. `report()` of the result describes the captures; with
    FACULA_LOGS=jit in the environment, a program prints it at exit.

    Arguments:
        model: the function or module; without it, a decorator is returned.
        fullgraph: raise an error at the line that cannot be captured.
        dynamic: ignored: each signature is captured separately.
        options: {"emulate_precision_casts": False} to round float16 and bfloat16 less often, as described in
            `facula.jit.passes.fuse_elementwise`; others are ignored.
        backend: "eager" to run `model` unchanged; other names of PyTorch's compilers and functions are ignored.
        mode: one of PyTorch's modes, which is ignored.
        disable: run `model` unchanged.
        name, recompile_limit, isolate_recompiles, shapes_spec: ignored: `report()` has the function's own name, and at
            most 16 signatures are captured.

    Raises:
        TypeError: `model` cannot be called.
        RuntimeError: PyTorch has no such backend or mode, or both `mode` and `options` are given.

    >>> import facula
    >>> double = compile(lambda x: x * 2 + 1)
    >>> [double(facula.ones(2) * n).tolist() for n in range(3)]
    [[1.0, 1.0], [3.0, 3.0], [5.0, 5.0]]
    >>> print(double.report())
    <lambda>: 1 signature
      (float32 (2,)): 1 launch (before passes 2), replayed 2 times (1 checked), 0 bytes of temporaries
    """
    if backend is not None and not callable(backend) and backend not in _BACKENDS:
        known = ", ".join(_BACKENDS)
        raise OperationError(f"compile: expected backend to be a function or one of {known}; got {backend!r}")
    if mode is not None and mode not in _MODES:
        raise OperationError(f"compile: expected mode to be one of {', '.join(_MODES)}; got {mode!r}")
    if mode is not None and options is not None:
        raise OperationError("compile: expected mode or options; got both; leave one of them out")
    if model is None:
        return partial(compile, fullgraph=fullgraph, backend=backend, options=options, disable=disable)
    if not callable(model):
        raise InvalidTypeError(f"compile: expected a function or a module; got {type(model).__name__} {model!r:.60}")
    if disable or backend in _EAGER or (not fullgraph and (isgeneratorfunction(model) or _awaits(model))):
        return model
    made: Captured[..., Any] = capture(model, on_break="error" if fullgraph else "split", passes=_passes_for(options))
    pause(made, _stance[0] == "force_eager")
    _compiled.add(made)
    if isinstance(model, Module):
        return cast("F", OptimizedModule(model, made))
    return cast("F", made)


def _awaits(function: object) -> bool:
    return iscoroutinefunction(function) or isasyncgenfunction(function)


def _passes_for(options: object) -> Sequence[Callable[[Graph], object]]:
    """Return the passes for the options."""
    if not isinstance(options, dict) or options.get("emulate_precision_casts", True):
        return DEFAULT
    once = partial(fuse_elementwise, emulate_precision_casts=False)
    return [once if pass_ is fuse_elementwise else pass_ for pass_ in DEFAULT]


class OptimizedModule(Module):
    """A captured module, as created by `compile`. `_orig_mod` is the original module.

    Attributes are read from and set on the original module: `compiled.scale = 2` sets the attribute that the module's
    `forward` reads.

    Parameter names begin with "_orig_mod.", like PyTorch's; `state_dict()` of `_orig_mod` has them without.
    """

    def __init__(self, module: Module, captured: Captured[..., Any]):
        super().__init__()
        self._orig_mod = module
        self._captured = captured

    @property
    def training(self) -> bool:  # type: ignore[override]  # an attribute elsewhere
        """The training mode of the original module."""
        return self._orig_mod.training

    @training.setter
    def training(self, mode: bool) -> None:
        self._orig_mod.training = mode

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the captured module."""
        return self._captured(*args, **kwargs)

    def report(self) -> str:
        """Return a report of the captured signatures."""
        return self._captured.report()

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name == "_orig_mod":
                raise
            return getattr(self._orig_mod, name)

    def __setattr__(self, name: str, value: Any) -> None:
        is_own = "_captured" not in vars(self) or name in vars(self) or hasattr(type(self), name)
        if is_own:
            super().__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __delattr__(self, name: str) -> None:
        if name in vars(self):
            super().__delattr__(name)
        else:
            delattr(self._orig_mod, name)


def compile_inplace(module: Module, *args: Any, **kwargs: Any) -> None:
    """Capture `forward` in place: the implementation of `module.compile`."""
    module.forward = compile(module.forward, *args, **kwargs)  # type: ignore[method-assign]


def is_compiling() -> bool:
    """Return whether this code is being captured, by `compile` or `capture`.

    >>> is_compiling()
    False
    """
    return current_recorder() is not None


def is_dynamo_compiling() -> bool:
    """Return whether this code is being captured."""
    return is_compiling()


def is_exporting() -> bool:
    """Return whether code is being exported: False."""
    return False


def list_backends(exclude_tags: object = ("debug", "experimental")) -> list[str]:
    """Return the names of available compilers: none."""
    return []


def reset() -> None:
    """Discard all captures, so that the next calls capture again."""
    for link in list(_compiled):
        reset_captured(link)


def cudagraph_mark_step_begin() -> None:
    """Mark the start of a step. A no-op."""


@overload
def disable(fn: F, recursive: bool = ..., *, reason: str | None = ...) -> F: ...
@overload
def disable(fn: None = None, recursive: bool = ..., *, reason: str | None = ...) -> Callable[[F], F]: ...
def disable(fn: F | None = None, recursive: bool = True, *, reason: str | None = None) -> F | Callable[[F], F]:
    """Exclude `fn` from captures: a compiled function is split around its calls.

    Arguments:
        fn: the function; without it, a decorator is returned.
        recursive: ignored: functions that it calls are not captured, either.
        reason: shown in the report.

    >>> @disable
    ... def f(x):
    ...     return x + 1
    >>> f(1)
    2
    """
    if fn is None:
        return partial(disable, reason=reason)
    name = getattr(fn, "__qualname__", type(fn).__name__)
    function = fn.forward if isinstance(fn, Module) else fn

    def run(*args: Any, **kwargs: Any) -> Any:
        note_break(f"{name} is marked by compiler.disable" + (f" ({reason})" if reason else ""), "leave the mark out")
        return function(*args, **kwargs)

    never_captured.add(run)
    if isinstance(fn, Module):
        fn.forward = run  # type: ignore[method-assign]
        return fn
    return cast("F", update_wrapper(run, fn))


def allow_in_graph(fn: F) -> F:
    """Return `fn` itself: its tensor work is captured anyway."""
    return fn


def assume_constant_result(fn: F) -> F:
    """Return `fn` itself: its tensor work is captured anyway."""
    return fn


@overload
def nested_compile_region(fn: F, **options: object) -> F: ...
@overload
def nested_compile_region(fn: None = None, **options: object) -> Callable[[F], F]: ...
def nested_compile_region(fn: F | None = None, **options: object) -> F | Callable[[F], F]:
    """Return `fn` itself, which is captured along with its caller. Without it, return a decorator."""
    return (lambda function: function) if fn is None else fn


def substitute_in_graph(
    original_fn: object, *, can_constant_fold_through: bool = False, skip_signature_check: bool = False
) -> Callable[[F], F]:
    """Return a decorator that leaves functions unchanged: the original is captured like any function.

    Arguments:
        original_fn, can_constant_fold_through, skip_signature_check: ignored.
    """
    return lambda function: function


class set_stance:
    """Set whether compiled functions run captured: permanently, for a block, or for a decorated function.

    Arguments:
        stance: "force_eager" to run all of them eagerly; with PyTorch's other stances they run captured.
        force_backend: ignored.
        options: ignored.

    Raises:
        RuntimeError: PyTorch has no such stance.
    """

    def __init__(self, stance: str = "default", *, force_backend: object = None, **options: object) -> None:
        if stance not in _STANCES:
            raise OperationError(f"set_stance: expected one of {', '.join(_STANCES)}; got {stance!r}")
        self.stance, self._before = stance, _stance[0]
        if not _enters_at_once(_getframe(1)):
            self._take(stance)

    @staticmethod
    def _take(stance: str) -> None:
        _stance[0] = stance
        for link in list(_compiled):
            pause(link, stance == "force_eager")

    def __enter__(self) -> set_stance:
        self._take(self.stance)
        return self

    def __exit__(self, *exc: object) -> None:
        self._take(self._before)

    def __call__(self, fn: F) -> F:
        self._take(self._before)

        def run(*args: Any, **kwargs: Any) -> Any:
            with set_stance(self.stance):
                return fn(*args, **kwargs)

        return cast("F", update_wrapper(run, fn))


publish(__name__)
