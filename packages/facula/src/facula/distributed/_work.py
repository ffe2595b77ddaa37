"""Arguments and results of collective operations: reductions, and completed work."""

from __future__ import annotations

from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

from facula_errors import InvalidTypeError

from ._store import as_seconds

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import timedelta


class RedOpType(Enum):
    """The reductions of several processes' values."""

    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = range(9)

    def __str__(self) -> str:
        return f"RedOpType.{self.name}"


class ReduceOp:
    """A reduction of several processes' values: `ReduceOp.SUM` and others, equal to `ReduceOp(ReduceOp.SUM)`."""

    RedOpType: ClassVar = RedOpType
    SUM: ClassVar = RedOpType.SUM
    AVG: ClassVar = RedOpType.AVG
    PRODUCT: ClassVar = RedOpType.PRODUCT
    MIN: ClassVar = RedOpType.MIN
    MAX: ClassVar = RedOpType.MAX
    BAND: ClassVar = RedOpType.BAND
    BOR: ClassVar = RedOpType.BOR
    BXOR: ClassVar = RedOpType.BXOR
    PREMUL_SUM: ClassVar = RedOpType.PREMUL_SUM

    def __init__(self, op: Enum) -> None:
        if not isinstance(op, RedOpType):
            raise InvalidTypeError(f"ReduceOp: expected ReduceOp.SUM or another of its names; got {op!r}")
        self.op = op

    def __eq__(self, other: object) -> bool:
        return self.op == (other.op if isinstance(other, ReduceOp) else other)

    def __hash__(self) -> int:
        return hash(self.op)


class Work:
    """A completed collective operation: with one process it completes before the call returns."""

    def __init__(self, results: Sequence[Any] = ()) -> None:
        self._results = list(results)

    def wait(self, timeout: timedelta | None = None) -> bool:
        """Wait for completion: returns True immediately."""
        if timeout is not None:
            as_seconds("Work.wait", timeout)
        return True

    def synchronize(self) -> None:
        """Wait for completion: returns immediately."""

    def is_completed(self) -> bool:
        """Return whether the operation is complete: True."""
        return True

    def is_success(self) -> bool:
        """Return whether the operation succeeded: True."""
        return True

    def exception(self) -> None:
        """Return the operation's exception: None."""

    def result(self) -> list[Any]:
        """Return the tensors that the operation changed."""
        return self._results

    def get_future(self) -> Any:
        """Return a `futures.Future` of the tensors that the operation changed."""
        future = import_module("facula.futures").Future()
        future.set_result(self._results)
        return future
