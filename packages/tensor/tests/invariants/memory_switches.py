"""Checks that replace a tensor's memory at each point of a call and compare the result with the allowed results."""

from __future__ import annotations

import numpy as np
from fake_backend import numbers
from switching import Switch

import facula_tensor as ft
from facula_storage.extend import capacity, layout_cache_clearers
from facula_tensor.extend import operators


def contents(result):
    """Convert a result to values that can be compared."""
    if isinstance(result, ft.Tensor):
        plain = result.detach()
        layout = plain._layout
        assert plain._offset + layout.extent <= capacity(plain._storage), "a view beyond its memory"
        return plain.dtype.name, tuple(plain.shape), numbers(plain).tobytes()
    if isinstance(result, (tuple, list)):
        return [contents(output) for output in result]
    if isinstance(result, np.ndarray):
        return result.dtype.name, result.shape, result.tobytes()
    if isinstance(result, Exception):
        return type(result)
    return result


def outcome(call, *operands):
    ft.manual_seed(0)
    return attempt(call, *operands)


def attempt(call, *operands):
    try:
        return call(*operands)
    except Exception as error:
        return error


# Long calls consist of operators that are also tested separately. Beyond this point, fewer points are tested.
DENSE = 120


def forget_plans(used=None):
    """Clear the plan tables, so that the next calls take the slow path. Return the tables that had entries."""
    for forget in layout_cache_clearers:  # windows of views, and caches by layout in other modules
        forget()
    if used is None:  # families of operators are loaded on first use
        used = [table for op in operators.values() for table in (op.table, op.slow_table)]
    held = [entry for entry in used if entry.by_key or any(entry.dense) or any(entry.with_float) or any(entry.with_int)]
    for table in held:
        table.clear()
    return held


def tables_of(call):
    """Return the plan tables that `call()` fills."""
    forget_plans()
    call()
    return forget_plans()


def check(call, first, second, others=(), *, slow=False, every=1, library=None, start=0):
    """Replace the memory of `first` by that of `second` at each point of `call(tensor, *others)`."""
    x = first.detach()
    before, after = [(tensor._layout, tensor._storage, tensor._offset) for tensor in (first, second)]
    expected = [contents(outcome(call, tensor, *others)) for tensor in (first, second)]

    def act():
        x._layout, x._storage, x._offset = after

    used = tables_of(lambda: [outcome(call, tensor, *others) for tensor in (first, second)]) if slow else ()
    number = start
    while True:
        x._layout, x._storage, x._offset = before
        if slow:
            forget_plans(used)
        ft.manual_seed(0)
        with Switch(number, act, **({} if library is None else {"library": library})) as switch:
            result = attempt(call, x, *others)
        assert contents(result) in expected, f"switched at point {number}: {result!r:.200}"
        if not switch.reached:
            return number
        number += every if number < DENSE else max(every, number // 9)


def strided(tensor, dtype=None):
    """Return the elements of `tensor`, doubled, transposed in memory and inside a larger storage."""
    array = np.array((tensor.detach() * 2).to(dtype or tensor.dtype).numpy())
    wide = np.concatenate([np.zeros(70, array.dtype), array.T.ravel(), np.zeros(500, array.dtype)])
    inner = ft.tensor(wide)[70 : 70 + array.size].view(array.T.shape)
    return inner.permute(*reversed(range(array.ndim))) if array.ndim else inner


def matrix(rows=3):
    return ft.arange(rows * 4, dtype=ft.float32).reshape(rows, 4) + 1


OTHERS = {
    "strided": lambda x: strided(x),
    "float64": lambda x: strided(x, ft.float64),
    "longer": lambda x: matrix(50) + 100,
    "of three dimensions": lambda x: matrix(50).view(10, 5, 4) + 100,
}
