"""The public functions of `ops/neural/embedding_bag.py`, written by `python -m facula_tensor._forms`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import FaculaError
from facula_errors.extend import trim_traceback

from ...._dispatch.arguments import refuse_choice
from ...._dispatch.namespaces import recorded_ops as ops
from ...._dispatch.overrides import overridable
from ...._dispatch.written import bodies_of

if TYPE_CHECKING:
    from ...._core.tensor import Tensor

bodies = bodies_of("ops.neural.embedding_bag")


@overridable
def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """The sum, mean or maximum of the rows of `weight` that each bag of numbers names.

    Empty bags give zeros.

    Arguments:
        input: the numbers, int64 or int32: a bag in each row, or one row of all with `offsets`.
        weight: (numbers, features).
        offsets: where each bag begins in an `input` of one dimension, the first at 0; else None.
        max_norm: as for `embedding`.
        norm_type: as for `embedding`.
        scale_grad_by_freq: as for `embedding`; not for "max".
        mode: "sum", "mean" or "max".
        sparse: refused if true.
        per_sample_weights: factors of the rows, in the shape of `input`, or None; for "sum" alone.
        include_last_offset: whether `offsets` also has the end of the last bag.
        padding_idx: the number that counts for nothing, or None.

    Returns:
        (bags, features).

    Raises:
        IndexError: for numbers that have no row.
        ValueError: for arguments that do not fit each other.

    >>> from facula_tensor import tensor
    >>> embedding_bag(tensor([0, 1, 1]), tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([0, 2]), mode="sum")
    tensor([[4., 6.],
            [3., 4.]])
    """
    try:
        if mode not in ("sum", "mean", "max"):
            mode = refuse_choice("embedding_bag", "mode", mode, "'sum', 'mean' or 'max'")
        return bodies.embedding_bag(
            ops,
            input,
            weight,
            offsets,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            mode,
            sparse,
            per_sample_weights,
            include_last_offset,
            padding_idx,
        )
    except FaculaError as error:
        trim_traceback(error)
        raise
