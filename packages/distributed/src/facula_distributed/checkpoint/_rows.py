"""Rows: a tensor of which each rank keeps some rows, in a state that is saved or loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_tensor import empty

if TYPE_CHECKING:
    from collections.abc import Sequence

    from facula_tensor import Tensor


class Rows:
    """This rank's rows of a tensor, whose other rows are on other ranks.

    Arguments:
        shape: the shape of the whole tensor, of at least one dimension.
        begin: the index of the first row.
        tensor: the rows; perhaps none.
    """

    def __init__(self, shape: Sequence[int], begin: int, tensor: Tensor) -> None:
        self.shape, self.begin, self.tensor = tuple(shape), begin, tensor

    @property
    def end(self) -> int:
        """The index after the last row."""
        return self.begin + len(self.tensor)

    def without_rows(self) -> Rows:
        """Return the same for a rank that has no rows."""
        return Rows(self.shape, 0, empty((0, *self.shape[1:]), dtype=self.tensor.dtype))
