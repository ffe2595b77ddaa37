"""Process groups, for packages that do not import facula_distributed, which provides them.

- `exchange_with` returns the part of a process group's operations that layers use, an `Exchange`.
- `provide_exchanges` sets the function that it calls.
"""

from __future__ import annotations

from facula_errors import OperationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from .._core.tensor import Tensor

    class Exchange(Protocol):
        """Operations of a group of several processes, which all of them must call."""

        def all_gather(self, tensor: Tensor) -> Tensor:
            """Return the tensors of all processes, stacked in rank order. They have one shape."""

        def all_reduce(self, tensor: Tensor) -> None:
            """Add the tensors of all processes, in place."""


__all__ = ["exchange_with", "provide_exchanges"]

_providers: list[Callable[[object], Exchange | None]] = []


def provide_exchanges(provider: Callable[[object], Exchange | None]) -> None:
    """Set the function that `exchange_with` calls."""
    _providers[:] = [provider]


def exchange_with(group: object) -> Exchange | None:
    """Return the operations of a process group, or None if it has no other processes.

    Arguments:
        group: the process group; None for the default one, if there is one.

    Raises:
        RuntimeError: there is a group, but no package that provides groups.
    """
    if _providers:
        return _providers[-1](group)
    if group is not None:
        raise OperationError(f"process_group: expected None, because facula_distributed is not loaded; got {group!r}")
    return None
