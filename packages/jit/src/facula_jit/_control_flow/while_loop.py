"""`while_loop`: a function of carried values, for as long as another says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary
from facula_storage.extend import current_recorder

from .operands import NUMBERS, check_functions, leaves_of
from .recorded_cond import serves
from .recorded_loop import record_loop, run_loop

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@boundary
def while_loop(
    cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Sequence[Any]
) -> tuple[Any, ...]:
    """`carried = body_fn(*carried)` while `cond_fn(*carried)` holds, beginning with `carried_inputs`; the last of them.

    Gradients flow through all steps that were made. Inside `capture` the loop is one in C, of as many steps as each
    replay needs; there, gradients cannot flow through it, and its functions run in Python once. Inside `vmap` with a
    batched condition the loop goes on while any element's holds, and elements that are done stay as they are.

    Arguments:
        cond_fn: a function of the carried values, which gives a bool or a tensor of one bool.
        body_fn: a function of the carried values, which gives a tuple of such: built alike, of the same shapes and
            dtypes.
        carried_inputs: a tuple or list of the first ones: tensors and numbers, in tuples, lists and dicts.

    Raises:
        TypeError, ValueError: wrong arguments, or what is carried changes its structure, a shape or a dtype.

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
    if recorder is not None and serves(recorder, "while_loop", carried.leaves):
        return record_loop(recorder, cond_fn, body_fn, carried)
    return run_loop(cond_fn, body_fn, carried)
