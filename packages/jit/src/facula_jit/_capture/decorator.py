"""`capture`: a function whose tensor work is recorded once for each signature, and replayed in C."""

from __future__ import annotations

from functools import partial
from inspect import iscoroutinefunction, isgeneratorfunction
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, TypeVar, overload

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from .._guards.allow import check_allowed
from ..passes import DEFAULT
from .captured import Captured
from .log import note

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
    """`function`, whose tensor work is recorded in a first call, and replayed by one call into C in later ones.

    What is recorded is everything the function does with tensors: forward, backward, an optimizer's step, random
    draws. Parameters, buffers and optimizers' state stay the program's tensors and are changed in place; results are
    fresh tensors. Calls of other shapes, dtypes, strides, modes or other arguments that are no tensors are captured by
    themselves, at most 16 kinds. Whatever else the function reads (globals, closures, attributes, entries of
    containers, tensors and modules) is compared before a replay writes anything; where it has changed the function runs
    again and is captured again. Learning rates and other options of optimizers, schedules and the generators' states
    are followed.

    A function that reads what cannot be compared (clocks, other random generators, files), that changes what it reads
    (a counter), hands elements to Python (`item`, `if loss > 1`), prints, or makes a tensor that the program keeps
    without returning it runs eagerly, after a warning that names the line, the value and the remedy.

    A result that requires a gradient can be differentiated outside: its backward is captured, too. One thread at a time
    may use a capture.

    Arguments:
        function: what is captured; left out, a decorator is returned.
        on_break: what becomes of a function that cannot be captured: "eager" to run it eagerly, "error" to
            raise CaptureError at the line, "split" to cut it there, and capture the pieces around the line.
        passes: functions that are called with the graph of a capture and change it, in their order, when it is about to
            be replayed for the second time; by default those of `facula_jit.passes`, which change no bit of a result.
            () for none.
        allow: functions, types and objects whose state replays do not compare; see `allow`.
        check: every so many calls the function runs eagerly instead of a replay, and CaptureError is raised where it
            does anything else; 0 for never. By default the environment variable FACULA_CAPTURE_CHECK says it; without
            it, the second replay is checked, then the 1,000th, 10,000th and so on: where one differs, there is a
            warning, and the function runs eagerly from then on.

    Returns:
        A callable like the function; its `report()` says what was captured, `function` is the function.

    Raises:
        CaptureError: something cannot be captured, or another thread is replaying the same capture, or a pass has
            broken the graph.
        TypeError, ValueError: wrong arguments.

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
    >>> [round(step(x, y).item(), 3) for _ in range(3)]
    [2.5, 2.025, 1.64]
    >>> print(step.report())  # doctest: +ELLIPSIS
    step: 1 signature
      (float32 (2, 2), float32 (2,)): 8 launches (before passes 13), replayed 2 times (1 checked), 192 bytes of ...
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
            "capture: expected a function that returns its result; got one that yields or awaits; capture what it calls"
        )
    made: Captured[..., Any] = Captured(function, on_break, tuple(passes), allow, check)
    note(made)
    return made
