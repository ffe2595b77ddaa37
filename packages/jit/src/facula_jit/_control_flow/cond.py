"""`cond`: a choice between two functions that depends on a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary
from facula_storage.extend.recording import current_recorder
from facula_tensor import Tensor, where

from .operands import check_agree, check_condition, check_functions, is_batched, leaves_of
from .recorded_cond import can_record, record_cond

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@boundary
def cond(
    pred: bool | Tensor, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Sequence[Any] = ()
) -> Any:
    """Return `true_fn(*operands)` if `pred` is true, else `false_fn(*operands)`. Gradients flow through the function
    that ran.

    Both functions must return results of the same structure, shapes and dtypes. In eager code only one of them runs,
    and nothing is compared. Inside `capture`, both run during the recorded call, and each replay runs one. Inside
    `vmap` with a batched `pred`, both run for all elements, and `where` selects the results.

    If a result is an operand itself or a view of one, a capture returns a copy of it. If the results of both functions
    could require a gradient, operands that only the other function uses get a gradient of zeros instead of None.

    Arguments:
        pred: a bool, or a tensor with one bool element.
        true_fn: a function of the operands that returns tensors, in tuples, lists and dicts.
        false_fn: another function of the operands.
        operands: a tuple or list of the operands: tensors and numbers, in tuples, lists and dicts.

    Raises:
        TypeError, ValueError: invalid arguments; results that do not match, if both functions run.

    >>> from facula_tensor import tensor
    >>> x = tensor([1.0, 2.0], requires_grad=True)
    >>> y = cond(x.sum() > 0, lambda x: x.exp(), lambda x: -x, (x,))
    >>> y.sum().backward()
    >>> x.grad
    tensor([2.7183, 7.3891])
    """
    check_condition("cond", "pred", pred)
    check_functions("cond", true_fn=true_fn, false_fn=false_fn)
    if not isinstance(operands, (tuple, list)):
        raise InvalidTypeError(
            f"cond: expected operands to be a tuple or list; got {type(operands).__name__} {operands!r:.60}; write (x,)"
        )
    given = leaves_of("cond", "operands", tuple(operands))
    if is_batched(pred):
        return _selected(pred, true_fn, false_fn, operands)
    recorder: Any = current_recorder()
    if recorder is not None and isinstance(pred, Tensor) and can_record(recorder, "cond", [pred, *given.leaves]):
        return record_cond(recorder, pred, (true_fn, false_fn), given)
    name, chosen = ("true_fn", true_fn) if pred else ("false_fn", false_fn)
    result = chosen(*operands)
    leaves_of("cond", f"the result of {name}", result)
    return result


def _selected(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Sequence[Any]) -> Any:
    """Return the results for a whole batch, selected from both functions with `where`."""
    a = leaves_of("cond", "the result of true_fn", true_fn(*operands))
    b = leaves_of("cond", "the result of false_fn", false_fn(*operands))
    check_agree("cond", a, b, by_value=True)
    chosen = pred.reshape(())
    return a.tree([
        where(chosen, leaf, other) if isinstance(leaf, Tensor) else leaf
        for leaf, other in zip(a.leaves, b.leaves, strict=True)
    ])  # fmt: skip
