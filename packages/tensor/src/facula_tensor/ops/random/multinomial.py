"""Samples of categories according to their weights."""

from __future__ import annotations

from sys import float_info
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError
from facula_storage import float64
from facula_storage.extend.layouts import FLOATING

from ..._core.tensor import Tensor, elements
from ..._creation.random import rand
from ..._dispatch.namespaces import no_record_ops
from ..._dispatch.value_checks import refuse_outside, refuse_unless
from ..._dispatch.written import function
from ..indexing.where import where
from ..reduction.searching import searchsorted
from ..reduction.sorting import topk

if TYPE_CHECKING:
    from ..._creation.generator import Generator
    from ..._dispatch.kinds import Flag, Integer, Snapshot

LARGEST = float_info.max


@function(method=True, out=True)
def multinomial(
    input: Snapshot, num_samples: Integer, replacement: Flag = False, *, generator: Generator | None = None
) -> Tensor:
    """Sample `num_samples` indices of categories (int64), with probabilities proportional to the weights in `input`.

    `input` (categories,) returns (num_samples,); (rows, categories) returns (rows, num_samples). The weights must be
    floating, nonnegative and finite; they need not add up to 1. Samples without replacement are returned in the order
    of sequential sampling (exponential races; Efraimidis and Spirakis 2006).

    Arguments:
        input: the weights.
        num_samples: the number of indices for each row.
        replacement: whether a category may be drawn more than once.

    Raises:
        ValueError: for invalid weights; if all weights of a row are 0; or if `replacement` is False and a row has fewer
            than `num_samples` positive weights.

    >>> from facula_tensor import tensor
    >>> multinomial(tensor([0.0, 3.0, 0.0]), 2, replacement=True)
    tensor([1, 1])
    """
    weights, count = input.detach(), num_samples
    if weights.dtype.category != FLOATING:
        raise DTypeError(
            f"multinomial: expected weights in a floating dtype; got {weights.dtype.name}; convert with .float()"
        )
    if weights.ndim not in (1, 2) or not weights.shape[-1]:
        raise ArgumentError(
            f"multinomial: expected input (categories,) or (rows, categories), with at least one category; got shape "
            f"{tuple(weights.shape)}"
        )
    if count < 1 or (not replacement and count > weights.shape[-1]):
        most = "" if replacement else f", at most the {weights.shape[-1]} categories without replacement"
        raise ArgumentError(f"multinomial: expected num_samples of at least 1{most}; got {count}")
    p = no_record_ops.to(weights, (float64,))
    _check_weights(p, 1 if replacement else count)
    return _with_replacement(p, count, generator) if replacement else _without_replacement(p, count, generator)


def _check_weights(p: Tensor, least: int) -> None:
    """Raise a ValueError with the position of the first invalid weight."""
    p = elements(p)

    def describe() -> Exception:
        at = (~((p >= 0) & p.isfinite())).nonzero()[0].tolist()
        return ArgumentError(
            f"multinomial: expected weights of 0 or more, and finite; got {p[tuple(at)].item()} at {at}"
        )

    wanted = "multinomial: expected weights of 0 or more, and finite; got another"
    refuse_outside(p, 0, LARGEST, describe, lambda: ArgumentError(wanted))
    enough = (p > 0).sum(-1) >= least

    def describe_row() -> Exception:
        row = f" in row {(~enough).nonzero()[0].item()}" if p.ndim == 2 else ""
        return ArgumentError(f"{too_few}{row}")

    too_few = f"multinomial: expected at least {least} weight(s) above 0; got fewer"
    refuse_unless(enough, describe_row, lambda: ArgumentError(too_few))


def _with_replacement(p: Tensor, count: int, generator: Generator | None) -> Tensor:
    """Sample with replacement: locate uniform random numbers among the cumulative sums of weights."""
    sums = p.cumsum(-1)
    total = sums[..., -1:]
    draws = rand((*p.shape[:-1], count), generator=generator, dtype=float64, device=p.device) * total
    # The last category with a positive weight: a product may be rounded up to the total.
    last = searchsorted(sums, total.contiguous())
    return searchsorted(sums, draws, right=True).minimum(last)


def _without_replacement(p: Tensor, count: int, generator: Generator | None) -> Tensor:
    """Sample without replacement: the categories with the earliest exponential arrival times; weights are rates."""
    clocks = -(1 - rand(tuple(p.shape), generator=generator, dtype=float64, device=p.device)).log()
    keys = where(p > 0, p.log() - clocks.log(), -float("inf"))
    return topk(keys, count, -1).indices
