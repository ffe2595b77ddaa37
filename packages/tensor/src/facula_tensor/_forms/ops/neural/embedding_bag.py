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
    """Reduce the rows of `weight` in each bag of indices by their sum, mean or maximum.

    Empty bags give zeros.

    Arguments:
        input: the indices, int64 or int32: one bag per row, or one vector for all with `offsets`.
        weight: (numbers, features).
        offsets: the start of each bag in a one-dimensional `input`, the first at 0; else None.
        max_norm: as in `embedding`.
        norm_type: as in `embedding`.
        scale_grad_by_freq: as in `embedding`; not for "max".
        mode: "sum", "mean" or "max".
        sparse: must be false.
        per_sample_weights: factors of the rows, with the shape of `input`, or None; only for "sum".
        include_last_offset: whether `offsets` includes the end of the last bag.
        padding_idx: the index to ignore, or None.

    Returns:
        (bags, features).

    Raises:
        IndexError: if an index is out of range.
        ValueError: if arguments do not fit each other.

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
