"""The launches of a captured function as one CUDA graph: see Note [Graphs of sequences] in csrc/graph.h."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_storage import bind

from .._driver import ffi, lib
from .driver import opened
from .functions import address_of

if TYPE_CHECKING:
    from collections.abc import Callable

#: The functions of csrc/launch.c.
KERNELS = ("facula_cuda_dense", "facula_cuda_nested", "facula_cuda_fixed", "facula_cuda_table", "facula_cuda_join")
NEVER = 1 << 62  # elements from which a launch releases the GIL


class SequenceGraph:
    """The state of one sequence's graph, which is destroyed with it.

    Arguments:
        index: the number of the device.
    """

    def __init__(self, index: int):
        self.state = ffi.new("struct facula_cuda_graph *")
        self.state.device = index
        self.state.kernels[0 : len(KERNELS)] = [address_of(name) for name in KERNELS]
        self._session = opened.session

    def __del__(self) -> None:
        if self._session == opened.session and not opened.forked:
            lib.facula_cuda_drop_graph(self.state)

    def launch(self) -> Callable[..., None]:
        """Return the launch for `Sequence.combine`."""
        return bind(address_of("facula_cuda_combined"), int(ffi.cast("intptr_t", self.state)), NEVER, 0, self, 4)
