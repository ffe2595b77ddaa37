"""Loops of `while_loop`: run step by step, or recorded as one in C.

Note [Captured loops]
~~~~~~~~~~~~~~~~~~~~~
What is carried gets memory of its own, which each step writes again. Recorded are the launches of the condition,
whose result becomes a float32, and those of one step; where this run makes no step, that one is run dry (Note
[Dry runs]), and where it makes several, the others are not recorded. A replay does the launches of the condition,
leaves where the float32 is 0, does those of the step, and goes back. What a step reads of what was computed before the
loop keeps its memory to the end of the loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd import is_grad_enabled
from facula_errors import InvalidTypeError
from facula_tensor import Tensor, empty, where
from facula_tensor.extend import forget_readers
from facula_tensor.func import debug_unwrap

from .._recording.graph_breaks import CaptureError
from .._recording.records import Loop
from .dry_run import Branch, DryRunAborted
from .operands import NUMBERS, Leaves, check_agree, check_condition, is_batched, leaves_of
from .recorded_cond import Pred, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._recording.recorder import Recorder


def run_loop(
    cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried: Leaves, goes_on: Any = None
) -> tuple[Any, ...]:
    """The loop, step by step: what is carried in the end.

    Arguments:
        cond_fn: the condition.
        body_fn: the step.
        carried: the first values.
        goes_on: what the condition has said of them; None where it was not asked yet.
    """
    while True:
        goes_on = asks(cond_fn, carried) if goes_on is None else goes_on
        batched = is_batched(goes_on)
        if not (debug_unwrap(goes_on).any() if batched else goes_on):
            return carried.tree()  # type: ignore[no-any-return]  # a tuple's shape
        made = step(body_fn, carried)
        if batched:
            kept = goes_on.reshape(())
            pairs = zip(made.leaves, carried.leaves, strict=True)
            made = made._replace(leaves=[where(kept, new, old) for new, old in pairs])
        carried, goes_on = carried._replace(leaves=made.leaves), None


def asks(cond_fn: Callable[..., Any], carried: Leaves) -> Any:
    """What the condition says, checked."""
    goes_on = cond_fn(*carried.tree())
    check_condition("while_loop", "the result of cond_fn", goes_on)
    return goes_on


def step(body_fn: Callable[..., Any], carried: Leaves) -> Leaves:
    """What the next step carries, checked."""
    result = body_fn(*carried.tree())
    if not isinstance(result, (tuple, list)):
        raise InvalidTypeError(
            f"while_loop: expected body_fn to return a tuple; got {type(result).__name__} {result!r:.60}; write (x,)"
        )
    made = leaves_of("while_loop", "the result of body_fn", tuple(result), NUMBERS)
    check_agree("while_loop", carried, made)
    return made


def record_loop(
    recorder: Recorder, cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried: Leaves
) -> tuple[Any, ...]:
    """The loop, recorded as one; step by step where that cannot be.

    Arguments:
        recorder: what records it.
        cond_fn: the condition.
        body_fn: the step.
        carried: the first values.
    """
    differentiable = is_grad_enabled() and any([getattr(one, "node", None) is not None for one in carried.leaves])
    if differentiable or len(carried.tensors()) < len(carried.leaves):
        goes_on = asks(cond_fn, carried)
        if isinstance(goes_on, Tensor):  # else Python decides, and its steps are recorded one by one
            _refuse(recorder, differentiable)
        return run_loop(cond_fn, body_fn, carried, goes_on)
    place = carried._replace(
        leaves=[empty(tuple(one.shape), dtype=one.dtype, device=one.device) for one in carried.leaves]
    )
    _write(place, carried)
    first = len(recorder.launches)
    with Branch(recorder, "the condition of while_loop", False) as asked:
        goes_on = asks(cond_fn, place)
        if not isinstance(goes_on, Tensor):
            return run_loop(cond_fn, body_fn, place, goes_on)
        chosen = Pred.of(recorder, goes_on)
    runs, body, made = chosen.taken == 0, len(recorder.launches), carried
    stepped = Branch(recorder, "the step of while_loop", not runs)
    try:
        with stepped:
            made = step(body_fn, place)
            if any([one.node is not None for one in made.leaves]):
                _refuse(recorder, True)
            else:
                _write(place, made)
                made = place
    except DryRunAborted as error:
        if error.branch is not stepped:
            raise
    except Exception as error:
        if runs or isinstance(error, CaptureError):
            raise
        recorder.broken(
            f"the step of while_loop, of which this call makes none, raises {type(error).__name__}: {error}",
            "let it run for all operands",
        )
    if asked.draws or stepped.draws:
        recorder.broken("a while_loop draws as many random numbers as it has steps", "draw before it")
    if recorder.breaks is not None:
        return run_loop(cond_fn, body_fn, made if runs else carried)
    recorder.decides = True
    recorder.loops.append(Loop(first, body, len(recorder.launches), chosen.address(recorder)))
    if runs and not any([one.is_dry for one in recorder.branches]):
        with recorder.aside():
            _run_aside(cond_fn, body_fn, place)
        forget_readers()
    return place.tree()  # type: ignore[no-any-return]  # a tuple's shape


def _run_aside(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], place: Leaves) -> None:
    """The steps after the one that was recorded, in the memory of what is carried."""
    while asks(cond_fn, place):
        _write(place, step(body_fn, place))


def _refuse(recorder: Recorder, differentiable: bool) -> None:
    if differentiable:
        recorder.broken(
            "gradients flow through a while_loop, of which no number of steps is known beforehand",
            "use scan, which has a fixed one, or no_grad()",
        )
    else:
        recorder.broken("a while_loop carries a number of Python's", "carry a tensor")


def _write(place: Leaves, values: Leaves) -> None:
    """Copy what is carried into its memory; what lies there already, at another place, is copied twice."""
    own = {id(one._storage) for one in place.leaves}
    given = [
        one.clone() if id(one._storage) in own and one is not target else one
        for one, target in zip(values.leaves, place.leaves, strict=True)
    ]
    for one, target in zip(given, place.leaves, strict=True):
        if one is not target:
            write(target, one)
