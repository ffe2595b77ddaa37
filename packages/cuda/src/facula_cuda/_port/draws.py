"""Random kernels of graphs, which get the seeds and offsets of their generators at each replay.

See Note [Random kernels of captures] in csrc/draws.h.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import Any

from facula_errors import OperationError
from facula_storage import Device
from facula_storage.extend.recording import generator_lists

from .._driver import ffi, lib
from .driver import check

_LARGEST = (1 << 63) - 1
_FIRST: int = lib.facula_cuda_seed_placeholder(0)  # all other placeholders are larger


class GraphDraws:
    """The random numbers of a capture that begins: its generators, and the kernels that draw from them.

    Arguments:
        index: the number of the captured device.

    Raises:
        OperationError: another capture runs, or there are too many generators.
    """

    def __init__(self, index: int):
        self._state = ffi.gc(ffi.new("struct facula_cuda_draws *"), lib.facula_cuda_drop_draws)
        self._lock = Lock()
        #: Each drawing generator with its number, the count of its numbers, and its seed if the capture set it.
        self._drawing: list[tuple[int, Any, int, int | None]] = []
        #: The generators with their numbers, and their seeds and offsets before the capture.
        self._before: list[tuple[int, Any, int, int]] = []
        device = Device(f"cuda:{index}")
        found = [generator for generators in generator_lists for generator in generators(device)]
        if not lib.facula_cuda_collect_draws(self._state):
            raise OperationError(
                "CUDAGraph.capture_begin: expected no other capture to run; got another capture of this process, which "
                "draws from the same random generators. End it before"
            )
        for one in found:
            number = lib.facula_cuda_new_draw()
            if number < 0:
                self.end()
                raise OperationError(
                    f"CUDAGraph.capture_begin: expected fewer graphs with random operators; got too many with "
                    f"{len(found)} generators of '{device.type}'. Delete graphs or generators"
                )
            key, offset, one._key, one._offset = one._key, one._offset, *_placeholders(number)
            self._before.append((number, one, key, offset))

    def __del__(self) -> None:
        if self._before:
            self.end()  # a graph that was dropped during its capture
        for number, *_ in self._drawing:
            lib.facula_cuda_release_draw(number)

    def end(self) -> None:
        """Restore the generators, after the capture."""
        lib.facula_cuda_collect_draws(ffi.NULL)
        for number, one, key, offset in self._before:
            seed, start = _placeholders(number)
            last_key, last_offset, one._key, one._offset = one._key, one._offset, key, offset
            if last_key != seed:  # the captured block set the state
                self._drawing.append((number, one, last_offset, last_key))
            elif last_offset != start or lib.facula_cuda_is_drawn(number):
                self._drawing.append((number, one, last_offset - start, None))
            else:
                lib.facula_cuda_release_draw(number)
        self._before = []

    def check(self, operation: str) -> None:
        """Raise OperationError if an operator used numbers of the generators that a replay cannot replace."""
        for number, _, count, key in self._drawing:
            if count and key is None and not lib.facula_cuda_is_drawn(number):
                raise OperationError(
                    f"{operation}: expected random operators that draw on the device; got one that used its numbers "
                    "on the host, and would repeat them at each replay. Call it before the capture, or use "
                    "facula.capture, whose replays draw new numbers"
                )

    def __bool__(self) -> bool:
        return bool(self._drawing) or self._state.first != ffi.NULL

    def launch(self, executable: int, stream: int) -> int:
        """Advance the generators, and launch the graph with their numbers; return the driver's code."""
        with self._lock:  # a thread's numbers are launched before another thread changes them
            for number, one, count, key in self._drawing:
                if key is None:
                    seed, start, one._offset = one._key, one._offset, one._offset + count
                else:
                    seed, start, one._key, one._offset = one._key, one._offset, key, count
                lib.facula_cuda_store_draw(number, seed, start & _LARGEST)
            code: int = lib.facula_cuda_set_draws(self._state, executable)
            return code or int(lib.driver.cuGraphLaunch(executable, stream))


def without_placeholders(operation: str, arguments: Iterable[Any]) -> list[Any]:
    """Return the arguments of a launch that runs on the host, with the seeds and offsets of the last replays."""
    found, word = list(arguments), ffi.new("int64_t *")
    for place, number in enumerate(found):
        if type(number) is int and _FIRST <= number <= _LARGEST:
            word[0] = number
            check(operation, lib.facula_cuda_replace_draw(word))
            found[place] = word[0]
    return found


def _placeholders(number: int) -> tuple[int, int]:
    """Return the placeholders of a generator's seed and offset."""
    return lib.facula_cuda_seed_placeholder(number), lib.facula_cuda_offset_placeholder(number)
