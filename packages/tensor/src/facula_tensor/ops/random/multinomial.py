"""Categories drawn by their weights."""

from __future__ import annotations

from sys import float_info
from typing import TYPE_CHECKING

from facula_errors import ArgumentError, DTypeError
from facula_storage import float64
from facula_storage.extend import FLOATING

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
    """`num_samples` indices of categories, int64, each drawn in proportion to its weight in `input`.

    `input` (categories,) gives (num_samples,); (rows, categories) gives (rows, num_samples). Weights are floating, not
    negative, finite, and need not add up to 1. ValueError otherwise, and where a row has fewer weights above 0 than are
    drawn without `replacement`, or none. What is not replaced comes in the order in which drawing one after the other
    gives it (exponential races; Efraimidis and Spirakis 2006).

    Arguments:
        input: the weights.
        num_samples: how many indices of each row.
        replacement: whether a category may be drawn more than once.

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
            f"multinomial: expected input (categories,) or (rows, categories), with a category at least; got shape "
            f"{tuple(weights.shape)}"
        )
    if count < 1 or (not replacement and count > weights.shape[-1]):
        most = "" if replacement else f", at most the {weights.shape[-1]} categories without replacement"
        raise ArgumentError(f"multinomial: expected num_samples of at least 1{most}; got {count}")
    p = no_record_ops.to(weights, (float64,))
    _check_weights(p, 1 if replacement else count)
    return _again(p, count, generator) if replacement else _once(p, count, generator)


def _check_weights(p: Tensor, least: int) -> None:
    """ValueError for what are no weights, with the place of the first."""
    p = elements(p)

    def describe() -> Exception:
        at = (~((p >= 0) & p.isfinite())).nonzero()[0].tolist()
        return ArgumentError(
            f"multinomial: expected weights of 0 or more, and finite; got {p[tuple(at)].item()} at {at}"
        )

    refuse_outside(p, 0, LARGEST, describe)
    enough = (p > 0).sum(-1) >= least

    def describe_row() -> Exception:
        row = f" in row {(~enough).nonzero()[0].item()}" if p.ndim == 2 else ""
        return ArgumentError(f"multinomial: expected at least {least} weight(s) above 0; there are fewer{row}")

    refuse_unless(enough, describe_row)


def _again(p: Tensor, count: int, generator: Generator | None) -> Tensor:
    """With replacement: where uniform numbers fall among the sums of weights."""
    sums = p.cumsum(-1)
    total = sums[..., -1:]
    draws = rand((*p.shape[:-1], count), generator=generator, dtype=float64, device=p.device) * total
    last = searchsorted(
        sums, total.contiguous()
    )  # the last that has a weight: a product may be rounded up to the total
    return searchsorted(sums, draws, right=True).minimum(last)


def _once(p: Tensor, count: int, generator: Generator | None) -> Tensor:
    """Without replacement: the categories whose exponential clocks, as quick as their weights, ring first."""
    clocks = -(1 - rand(tuple(p.shape), generator=generator, dtype=float64, device=p.device)).log()
    keys = where(p > 0, p.log() - clocks.log(), -float("inf"))
    return topk(keys, count, -1).indices
