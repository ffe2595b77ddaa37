"""`cond`: one of two functions, chosen by a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary
from facula_storage.extend import current_recorder
from facula_tensor import Tensor, where

from .operands import check_agree, check_condition, check_functions, is_batched, leaves_of
from .recorded_cond import record_cond, serves

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@boundary
def cond(
    pred: bool | Tensor, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Sequence[Any] = ()
) -> Any:
    """`true_fn(*operands)` where `pred` holds, else `false_fn(*operands)`; gradients flow through the one that ran.

    Both have to give results that are built alike, of the same shapes and dtypes. In plain code one of them runs, and
    nothing is compared. Inside `capture` both run in the call that is captured, and each replay runs one. Inside `vmap`
    with a batched `pred` both run for all elements, and results are chosen by `where`.

    Where a result is an operand itself, or a view of one, a capture gives a copy of it; and where both results could
    require a gradient, operands that only the other function uses get a gradient of zeros, not None.

    Arguments:
        pred: a bool, or a tensor of one bool.
        true_fn: a function of the operands, which gives tensors, in tuples, lists and dicts.
        false_fn: another.
        operands: a tuple or list of what they are given: tensors and numbers, in tuples, lists and dicts.

    Raises:
        TypeError, ValueError: wrong arguments; results that do not agree, where both functions run.

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
    if recorder is not None and isinstance(pred, Tensor) and serves(recorder, "cond", [pred, *given.leaves]):
        return record_cond(recorder, pred, (true_fn, false_fn), given)
    name, chosen = ("true_fn", true_fn) if pred else ("false_fn", false_fn)
    result = chosen(*operands)
    leaves_of("cond", f"the result of {name}", result)
    return result


def _selected(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Sequence[Any]) -> Any:
    """Both results of a whole batch, each element's chosen by `where`."""
    a = leaves_of("cond", "the result of true_fn", true_fn(*operands))
    b = leaves_of("cond", "the result of false_fn", false_fn(*operands))
    check_agree("cond", a, b, by_value=True)
    chosen = pred.reshape(())
    return a.tree([
        where(chosen, one, other) if isinstance(one, Tensor) else one
        for one, other in zip(a.leaves, b.leaves, strict=True)
    ])  # fmt: skip
