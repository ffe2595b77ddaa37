"""`while_loop`: a loop that runs while a function of its values returns true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary
from facula_storage.extend.recording import current_recorder

from .operands import NUMBERS, check_functions, leaves_of
from .recorded_cond import can_record
from .recorded_loop import record_loop, run_loop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@boundary
def while_loop(
    cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Sequence[Any]
) -> tuple[Any, ...]:
    """Repeat `carried = body_fn(*carried)` while `cond_fn(*carried)` is true, starting with `carried_inputs`; return
    the last values.

    Gradients flow through all iterations. Inside `capture`, the loop runs in C, with as many iterations as each replay
    needs; its functions run in Python once, and gradients cannot flow through it. Inside `vmap` with a batched
    condition, the loop continues while the condition of any element is true, and finished elements keep their values.

    Arguments:
        cond_fn: a function of the carried values that returns a bool or a tensor with one bool element.
        body_fn: a function of the carried values that returns a tuple of the next ones, with the same structure, shapes
            and dtypes.
        carried_inputs: a tuple or list of the initial values: tensors and numbers, in tuples, lists and dicts.

    Raises:
        TypeError, ValueError: invalid arguments, or carried values that change their structure, a shape or a dtype.

    >>> from facula_tensor import tensor
    >>> while_loop(lambda n, x: n < 3, lambda n, x: (n + 1, x * 2), (tensor(0), tensor([1.0, 2.0])))
    (tensor(3), tensor([ 8., 16.]))
    """
    check_functions("while_loop", cond_fn=cond_fn, body_fn=body_fn)
    if not isinstance(carried_inputs, (tuple, list)):
        raise InvalidTypeError(
            f"while_loop: expected carried_inputs to be a tuple or list; got {type(carried_inputs).__name__} "
            f"{carried_inputs!r:.60}; write (x,)"
        )
    carried = leaves_of("while_loop", "carried_inputs", tuple(carried_inputs), NUMBERS)
    recorder: Any = current_recorder()
    if recorder is not None and can_record(recorder, "while_loop", carried.leaves):
        return record_loop(recorder, cond_fn, body_fn, carried)
    return run_loop(cond_fn, body_fn, carried)
