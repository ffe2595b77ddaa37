"""The `capture` decorator: records the tensor operations of a function once for each signature and replays
them in C.
"""

from __future__ import annotations

from functools import partial
from inspect import iscoroutinefunction, isgeneratorfunction
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, overload

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from .._guards.allow import check_allowed
from ..passes import DEFAULT
from .captured import Captured
from .log import register

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .._graph.graph import Graph

    Passes = Sequence[Callable[[Graph], object]]

P = ParamSpec("P")
R = TypeVar("R")


@overload
def capture(
    function: Callable[P, R],
    *,
    on_break: Literal["eager", "error", "split"] = "eager",
    passes: Passes = DEFAULT,
    allow: Iterable[object] = (),
    check: int | None = None,
) -> Captured[P, R]: ...
@overload
def capture(
    function: None = None,
    *,
    on_break: Literal["eager", "error", "split"] = "eager",
    passes: Passes = DEFAULT,
    allow: Iterable[object] = (),
    check: int | None = None,
) -> Callable[[Callable[P, R]], Captured[P, R]]: ...
@boundary
def capture(
    function: Callable[..., Any] | None = None,
    *,
    on_break: str = "eager",
    passes: Passes = DEFAULT,
    allow: Iterable[object] = (),
    check: int | None = None,
) -> Any:
    """Capture a function: record its tensor operations in a first call, and replay them with one call into C.

    The recording includes all operations on tensors: forward, backward, the optimizer's step and random draws.
    Parameters, buffers and optimizer state remain the program's tensors and are modified in place; results are new
    tensors. Each signature (shapes, dtypes, strides, modes, and the values of non-tensor arguments) is captured
    separately, up to 16 of them. All other state that the function reads (globals, closures, attributes, container
    entries, tensors and modules) is compared before a replay modifies anything. If it has changed, the function runs
    and is captured again. Learning rates and other options of optimizers, schedules, and generator states may change
    freely: replays use their current values.

    Some functions cannot be captured. They run eagerly, after a warning that names the line, the value and the remedy.
    Such a function does one of the following:

    * It reads state that cannot be compared: clocks, other random generators, files.
    * It modifies state that it reads, such as a counter.
    * It passes elements to Python (`item`, `if loss > 1`).
    * It prints.
    * It creates a tensor that the program keeps without returning it.

    A result that requires a gradient can be differentiated outside the function: its backward pass is captured, too.
    Only one thread at a time may use a capture.

    Arguments:
        function: the function to capture; if omitted, a decorator is returned.
        on_break: the handling of a function that cannot be captured: "eager" runs it eagerly, "error" raises
            CaptureError at the line, "split" splits it at the line and captures the parts before and after.
        passes: functions that receive the graph of a capture and change it, in this order, before its second replay.
            The default passes of `facula_jit.passes` do not change a bit of any result. () for none.
        allow: functions, types and objects whose state is not guarded; see `allow`.
        check: the interval of checked calls: one in so many calls runs eagerly instead of a replay, and raises
            CaptureError if its operations differ from the capture; 0 for never. The default is the environment variable
            FACULA_CAPTURE_CHECK. Without it, the second replay is checked, then the 1,000th, 10,000th and so on; a
            difference causes a warning, and the function runs eagerly from then on.

    Returns:
        A callable like the function. Its `report()` describes the captures, and `function` is the original function.

    Raises:
        CaptureError: the function cannot be captured, another thread is replaying the same capture, or a pass produced
            an invalid graph.
        TypeError, ValueError: invalid arguments.

    >>> from facula_tensor import no_grad, tensor
    >>> weight = tensor([2.0, -1.0], requires_grad=True)
    >>> @capture
    ... def step(x, y):
    ...     weight.grad = None
    ...     loss = ((x @ weight - y) ** 2).mean()
    ...     loss.backward()
    ...     with no_grad():
    ...         weight.sub_(weight.grad * 0.1)
    ...     return loss.detach()
    >>> x, y = tensor([[1.0, 0.0], [0.0, 1.0]]), tensor([1.0, 1.0])
    >>> [round(step(x, y).item(), 3) for _ in range(4)]
    [2.5, 2.025, 1.64, 1.329]
    >>> print(step.report())  # doctest: +ELLIPSIS
    step: 1 signature
      (float32 (2, 2), float32 (2,)): 8 launches (before passes 11), replayed 3 times (1 checked), 192 bytes of ...
    """
    if on_break not in ("eager", "error", "split"):
        raise InvalidValueError(f"capture: expected on_break to be 'eager', 'error' or 'split'; got {on_break!r}")
    if not isinstance(passes, (tuple, list)) or not all(map(callable, passes)):
        raise InvalidTypeError(f"capture: expected passes to be a tuple of functions of a graph; got {passes!r}")
    allow = check_allowed(allow)
    if function is None:
        return partial(capture, on_break=on_break, passes=passes, allow=allow, check=check)
    if not callable(function):
        raise InvalidTypeError(f"capture: expected a function; got {type(function).__name__}")
    if isgeneratorfunction(function) or iscoroutinefunction(function):
        raise InvalidTypeError(
            "capture: expected a function that returns its result; got a generator or coroutine function; "
            "capture the functions that it calls"
        )
    made: Captured[..., Any] = Captured(function, on_break, tuple(passes), allow, check)
    register(made)
    return made
