"""Versions of storages: which ones a run advances, and which ones a backward pass compares.

Each storage has its own version, even if it is an alias of another one (`w.data`, or `w` after `w.data = t`). A
change therefore belongs to the storage through which it was made, not to the block of memory.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from facula_storage import Storage
    from facula_tensor import Tensor

    from .recorder import Recorder
    from .recording import Recording
    from .records import Block, Site


class Change(NamedTuple):
    """In-place changes of a storage, or of an argument: their number, the last operation and its line."""

    target: Any
    number: int
    operation: str
    site: Site


class RecordedVersions:
    """The storages that a run changes, and those that its recorded backward passes read."""

    def __init__(self) -> None:
        self.changed: dict[Storage | int, tuple[int, str, Site]] = {}  # a storage from before, or a new block
        self.read_back: dict[int, list[Storage]] = {}  # block -> storages

    def change(self, number: int, block: Block, storage: Storage, operation: str) -> None:
        """Count a change of a storage in the block with this number."""
        if block.is_new and block.link() is not storage:  # an alias of new memory: no replay has it
            return
        key = number if block.is_new else storage  # a reference would extend the lifetime of new memory
        _, code, instruction = storage.mutator
        self.changed[key] = self.changed.get(key, (0,))[0] + 1, operation, (code, instruction)

    def read(self, number: int, block: Block, storage: Storage) -> None:
        """Note that a backward pass reads memory from before the call through this storage."""
        if not block.is_new:
            self.read_back.setdefault(number, []).append(storage)


class StorageVersions:
    """The versions that each replay of a recording advances.

    Attributes:
        changed: changes of the program's storages.
        inputs: changes of arguments.
        changes_more: True if memory from before the call also changes through temporary aliases.
        pairs: pairs of arguments in the same changed memory, and whether they share one storage.
        read_back: block -> the arguments or storages whose versions show changes of values that backward passes read.
    """

    def __init__(self) -> None:
        self.changed: list[Change] = []
        self.inputs: list[Change] = []
        self.changes_more = False
        self.pairs: list[tuple[int, int, bool]] = []
        self.read_back: dict[int, list[Any]] = {}

    @classmethod
    def of(cls, recording: Recording, recorder: Recorder) -> StorageVersions:
        """Classify the storages of a run, and release those of its arguments."""
        found, run = cls(), recorder.versions
        storages = [storage for _, (_, storage, *_) in recorder.input_placements[: len(recording.inputs)]]
        places = {id(storage): place for place, storage in reversed([*enumerate(storages)])}
        for key, (count, operation, site) in run.changed.items():
            storage = recording.fixed.get(key) if isinstance(key, int) else key
            if storage is None:  # a temporary, or a result
                continue
            inputs = recorder.block_of(storage).inputs
            if id(storage) in places:
                found.inputs.append(Change(places[id(storage)], count, operation, site))
                pairs = combinations([place for place in inputs if place < len(storages)], 2)
                found.pairs += [(one, other, storages[one] is storages[other]) for one, other in pairs]
            elif inputs:
                found.changes_more = True
            else:
                found.changed.append(Change(storage, count, operation, site))
        for number, read in run.read_back.items():
            unique = {id(storage): storage for storage in read}
            own = [place for key, place in places.items() if key in unique]
            found.read_back[number] = own if recorder.blocks[number].inputs else [*unique.values()]
        recorder.versions = RecordedVersions()
        return found

    @property
    def any_changes(self) -> bool:
        """True if memory from before the call changes."""
        return bool(self.changed or self.inputs or self.changes_more)

    def by_block(self, recorder: Recorder) -> dict[int, tuple[int, str]]:
        """Return the number of changes of each block, and the last operation."""
        found: dict[int, tuple[int, str]] = {}
        places = {place: number for number, block in enumerate(recorder.blocks) for place in block.inputs}
        for target, count, operation, _ in (*self.changed, *self.inputs):
            number = places[target] if isinstance(target, int) else recorder.number_of(target)
            found[number] = found.get(number, (0,))[0] + count, operation
        return found

    def differ(self, tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...] | int:
        """Return these arguments, or the index of the first one that does not share its storage as in the run."""
        for one, other, is_same in self.pairs:
            if (tensors[one]._storage is tensors[other]._storage) is not is_same:
                return other
        return tensors
