"""Gradients of checked calls: a capture gives up its `.grad`s before such a call, and adopts those that it creates."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from facula_storage import Storage
from facula_storage.extend.memory import root_of
from facula_storage.extend.replay import CheckKind

from .._recording.tensor_guards import ADDRESS, puts_of

if TYPE_CHECKING:
    from facula_tensor import Tensor

    from .._recording.recording import Recording
    from .replay import Replay


class RenewedGradients:
    """The `.grad`s that a replay creates. Without them the memory of a checked call is that of an eager one.

    `blocks` maps them to the ids of their leaves. If it is not empty, the replay cannot run before `adopt`.
    """

    def __init__(self, replay: Replay):
        before, known = replay.recording, replay.recording.recorder.blocks
        grads = {} if replay.has_backward else before.grads_of
        self.replay = replay
        self.blocks = {block: leaf for leaf, block in grads.items() if known[block].is_new}
        self._puts: list[tuple[Tensor, Any, bool]] = []  # each leaf with its `.grad`, or with None and True
        self._checks: dict[int, int] = {}  # the blocks of checks of their memory
        if not self.blocks:
            return
        block_of = {id(root_of(before.fixed[block])): block for block in self.blocks}
        for leaf, grad in before.puts:
            is_created = grads.get(id(leaf)) in self.blocks
            self._puts.append((leaf, None if is_created else grad, is_created))
        for place, (_, holder, *_) in enumerate(replay.checks):
            if type(holder) is Storage and id(root_of(holder)) in block_of:
                self._checks[place] = block_of[id(root_of(holder))]
                replay.checks[place] = CheckKind.SLOT, None, ADDRESS, 0
        self._take({block: storage for block, storage in before.fixed.items() if block not in self.blocks}, [])

    def _take(self, fixed: dict[int, Any], puts: list[tuple[Tensor, Any]]) -> None:
        """Replace the recording by a copy: graphs of the program may refer to it."""
        recording = copy(self.replay.recording)
        recording.fixed, recording.puts = fixed, puts
        self.replay.recording, self.replay.puts = recording, puts_of(recording, self.replay.checks)
        self.replay.lowered.refer_to(recording)

    def adopt(self, recording: Recording) -> bool:
        """Let the replay write to the `.grad`s of an equal recording; return False if one is missing."""
        grads = {id(leaf): grad for leaf, grad in recording.puts}
        if any([grads.get(id(leaf)) is None for leaf, _, is_created in self._puts if is_created]):
            return False
        storages = {block: grads[leaf]._storage for block, leaf in self.blocks.items()}
        for place, block in self._checks.items():
            self.replay.checks[place] = CheckKind.SLOT, storages[block], ADDRESS, storages[block].ptr
        puts = [(leaf, grads[id(leaf)] if is_created else grad) for leaf, grad, is_created in self._puts]
        self._take({**self.replay.recording.fixed, **storages}, puts)
        return True
