"""Check that all elements are finite: `detect_anomaly` checks each gradient, so the check makes no tensor."""

from __future__ import annotations

from threading import local
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_storage import Layout, cpu, float32, float64
from facula_storage.extend.layouts import layout_cache_clearers

from .._core.tensor import Tensor, layout_of_tensor
from .._core.wrapped import LevelLayout
from .._dispatch.namespaces import no_record_ops, operators
from .._dispatch.slow_path.planning import find_plan

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# The parameters of a sum over all dimensions, by their number.
_ALL_DIMS = [(tuple(range(ndim)), False) for ndim in range(65)]
MAX_KNOWN = 1024
_launches: dict[Layout, Callable[..., None]] = {}  # of sums of all elements
layout_cache_clearers.append(_launches.clear)


class _Places(local):
    """The buffers for this thread's sums: address and elements, by dtype."""

    def __init__(self) -> None:
        self.of: dict[Any, tuple[int, memoryview]] = {}
        for dtype in (float32, float64):
            array = np.zeros(1, dtype.numpy)
            self.of[dtype] = array.ctypes.data, memoryview(array)  # type: ignore[arg-type]  # Python 3.11's types


_places = _Places()


def all_finite(values: Sequence[Any]) -> bool:
    """Return whether the sum of all elements is finite, which implies that each is. False if that would read a
    device."""
    total, places = 0.0, _places.of
    for v in values:
        try:
            layout = v._layout
            launch = _launches[layout]
            address, elements = places[layout.dtype]
            launch(1, v._storage.ptr + v._offset, address)
            total += elements[0]
        except (KeyError, AttributeError, TypeError):
            if not isinstance(v, Tensor) or layout_of_tensor(v := unwrapped(v)).device is not cpu:
                return False
            total += _summed(v)
    return total - total == 0


def _summed(v: Tensor) -> Any:
    """Return the sum of all elements; cache the launch for the next tensor of this layout."""
    layout = layout_of_tensor(v)
    dims = _ALL_DIMS[layout.ndim]
    if not layout.shape:
        return v.item()
    if layout.dtype in _places.of:
        if len(_launches) >= MAX_KNOWN:
            _launches.clear()
        _launches[layout] = find_plan(operators["sum"], (layout,), dims).launch
    return no_record_ops.sum(v, dims).item()


def unwrapped(v: Tensor) -> Tensor:
    """Return the tensor with all elements of a wrapped tensor, including a whole batch; others unchanged."""
    while isinstance(v._layout, LevelLayout):
        v = v._layout.elements()
    return v
