"""The recorder's part for random generators: it records seeds and offsets as values that each replay updates."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from .records import Stream
from .rng_values import RngValue

if TYPE_CHECKING:
    from .branch_stack import BranchStack
    from .graph_breaks import GraphBreak
    from .records import Site


class RngRecorder:
    """The part of a recorder that generators call."""

    breaks: GraphBreak | None
    branches: BranchStack
    generators: dict[int, Stream]  # by the id of the generator

    @abstractmethod
    def broken(self, problem: str, remedy: str, site: Site | None = None) -> None:
        """Report a graph break."""

    def drawn(self, generator: Any, key: int, start: int, count: int) -> tuple[int, int]:
        """Record a draw; return its key and start as numbers that are linked to the generator."""
        if self.breaks is not None:
            return key, start
        return self._rng_values(self._stream(generator, start), key, start)

    def state_of(self, generator: Any, seed: int, offset: int) -> tuple[int, int]:
        """Record a read of a generator's state."""
        return (seed, offset) if self.breaks else self._rng_values(self._stream(generator, offset), seed, offset)

    def seeded(self, generator: Any, number: int) -> None:
        """Record that a generator is about to be set to a seed of the program, or to an earlier state."""
        self.branches.refuse("the setting of a generator's state")
        if self.breaks is None:
            self._stream(generator, generator._offset).follows = type(number) is RngValue

    def _stream(self, generator: Any, offset: int) -> Stream:
        return self.generators.setdefault(id(generator), Stream(generator, offset, len(self.generators)))

    def _rng_values(self, stream: Stream, key: int, offset: int) -> tuple[int, int]:
        """Return a seed and an offset that follow the generator, or plain numbers if the program has seeded it."""
        if not stream.follows:
            return key, offset
        source = 2 * stream.place
        return RngValue.of(key, self, source, 0), RngValue.of(offset, self, source + 1, offset - stream.start)
