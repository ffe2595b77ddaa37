"""The generators that a recorded run draws from: seeds and offsets are recorded as values that each replay renews."""

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
        """What cannot be captured."""

    def drawn(self, generator: Any, key: int, start: int, count: int) -> tuple[int, int]:
        """A generator gave numbers to draw from: the same two, which know where they are from."""
        if self.breaks is not None:
            return key, start
        return self._rng_values(self._stream(generator, start), key, start)

    def state_of(self, generator: Any, seed: int, offset: int) -> tuple[int, int]:
        """The state of a generator is asked for."""
        return (seed, offset) if self.breaks else self._rng_values(self._stream(generator, offset), seed, offset)

    def seeded(self, generator: Any, number: int) -> None:
        """A generator is about to be set to the program's own number, or to one that it had."""
        self.branches.refuse("the setting of a generator's state")
        if self.breaks is None:
            self._stream(generator, generator._offset).follows = type(number) is RngValue

    def _stream(self, generator: Any, offset: int) -> Stream:
        return self.generators.setdefault(id(generator), Stream(generator, offset, len(self.generators)))

    def _rng_values(self, stream: Stream, key: int, offset: int) -> tuple[int, int]:
        """A seed and an offset that follow the generator's, unless the program has set it."""
        if not stream.follows:
            return key, offset
        source = 2 * stream.place
        return RngValue.of(key, self, source, 0), RngValue.of(offset, self, source + 1, offset - stream.start)
