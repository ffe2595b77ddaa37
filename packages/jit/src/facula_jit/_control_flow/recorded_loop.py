"""Loops of `while_loop`: run eagerly, or recorded as one loop in C.

Note [Captured loops]
~~~~~~~~~~~~~~~~~~~~~
The carried values get memory of their own, which each iteration overwrites. The launches of the condition, whose result
is converted to a float32, and those of one iteration are recorded. If the loop of this call has no iterations, one is
run dry (Note [Dry runs]). If it has several, the others are not recorded. A replay runs the launches of the condition,
leaves the loop if the float32 is 0, and otherwise runs the launches of the iteration and jumps back. Values computed
before the loop that an iteration reads keep their memory until the end of the loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd import is_grad_enabled
from facula_errors import InvalidTypeError
from facula_tensor import Tensor, empty, where
from facula_tensor.extend.recording import forget_readers
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
    """Run the loop iteration by iteration, and return the final values.

    Arguments:
        cond_fn: the condition.
        body_fn: the body.
        carried: the initial values.
        goes_on: the condition for the initial values; None if it has not been evaluated.
    """
    while True:
        goes_on = evaluate_condition(cond_fn, carried) if goes_on is None else goes_on
        batched = is_batched(goes_on)
        if not (debug_unwrap(goes_on).any() if batched else goes_on):
            return carried.tree()  # type: ignore[no-any-return]  # has the shape of a tuple
        made = step(body_fn, carried)
        if batched:
            kept = goes_on.reshape(())
            pairs = zip(made.leaves, carried.leaves, strict=True)
            made = made._replace(leaves=[where(kept, new, old) for new, old in pairs])
        carried, goes_on = carried._replace(leaves=made.leaves), None


def evaluate_condition(cond_fn: Callable[..., Any], carried: Leaves) -> Any:
    """Return the value of the condition, after validation."""
    goes_on = cond_fn(*carried.tree())
    check_condition("while_loop", "the result of cond_fn", goes_on)
    return goes_on


def step(body_fn: Callable[..., Any], carried: Leaves) -> Leaves:
    """Return the values of the next iteration, after validation."""
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
    """Record the loop as one; if that is impossible, run it iteration by iteration.

    Arguments:
        recorder: the recorder.
        cond_fn: the condition.
        body_fn: the body.
        carried: the initial values.
    """
    differentiable = is_grad_enabled() and any([getattr(leaf, "node", None) is not None for leaf in carried.leaves])
    if differentiable or len(carried.tensors()) < len(carried.leaves):
        goes_on = evaluate_condition(cond_fn, carried)
        if isinstance(goes_on, Tensor):  # otherwise Python decides, and each iteration is recorded
            _refuse(recorder, differentiable)
        return run_loop(cond_fn, body_fn, carried, goes_on)
    place = carried._replace(
        leaves=[empty(tuple(leaf.shape), dtype=leaf.dtype, device=leaf.device) for leaf in carried.leaves]
    )
    _write(place, carried)
    first = len(recorder.launches)
    with Branch(recorder, "the condition of while_loop", False) as condition:
        goes_on = evaluate_condition(cond_fn, place)
        if not isinstance(goes_on, Tensor):
            return run_loop(cond_fn, body_fn, place, goes_on)
        chosen = Pred.of(recorder, goes_on)
    runs, body, made = chosen.taken == 0, len(recorder.launches), carried
    stepped = Branch(recorder, "the step of while_loop", not runs)
    try:
        with stepped:
            made = step(body_fn, place)
            if any([leaf.node is not None for leaf in made.leaves]):
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
            f"the step of while_loop, which this call does not run, raises {type(error).__name__}: {error}",
            "let it run for all operands",
        )
    if condition.draws or stepped.draws:
        recorder.broken("a while_loop draws random numbers in each step, and their number varies", "draw before it")
    if recorder.breaks is not None:
        return run_loop(cond_fn, body_fn, made if runs else carried)
    recorder.has_control_flow = True
    recorder.loops.append(Loop(first, body, len(recorder.launches), chosen.address(recorder)))
    if runs and not any([branch.is_dry for branch in recorder.branches]):
        with recorder.unrecorded():
            _run_unrecorded(cond_fn, body_fn, place)
        forget_readers()
    return place.tree()  # type: ignore[no-any-return]  # has the shape of a tuple


def _run_unrecorded(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], place: Leaves) -> None:
    """Run the remaining iterations without recording, in the memory of the carried values."""
    while evaluate_condition(cond_fn, place):
        _write(place, step(body_fn, place))


def _refuse(recorder: Recorder, differentiable: bool) -> None:
    if differentiable:
        recorder.broken(
            "gradients flow through a while_loop, whose number of steps is not known in advance",
            "use scan, which has a fixed number of steps, or no_grad()",
        )
    else:
        recorder.broken("a while_loop carries a Python number", "carry a tensor")


def _write(place: Leaves, values: Leaves) -> None:
    """Copy values into the carried memory; a value that is in this memory at another position is copied twice."""
    own = {id(leaf._storage) for leaf in place.leaves}
    given = [
        leaf.clone() if id(leaf._storage) in own and leaf is not target else leaf
        for leaf, target in zip(values.leaves, place.leaves, strict=True)
    ]
    for value, target in zip(given, place.leaves, strict=True):
        if value is not target:
            write(target, value)
