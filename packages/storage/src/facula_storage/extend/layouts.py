"""Dtypes and layouts, for backends and operators.

A cache of layouts outside this package appends the function that clears it to `layout_cache_clearers`. Slow calls that
receive an equal layout which is another object call `note_duplicate_layout`.
"""

from .._bridge import find_window
from .._dtypes import BOOL, COMPLEX, FLOATING, INTEGER, dtype_of_code, dtype_of_numpy, register_dtype
from .._layout_caches import clear_layout_caches, layout_cache_clearers, note_duplicate_layout
from .._layouts import contiguous_of_integers, contiguous_strides

__all__ = [
    "BOOL",
    "COMPLEX",
    "FLOATING",
    "INTEGER",
    "clear_layout_caches",
    "contiguous_of_integers",
    "contiguous_strides",
    "dtype_of_code",
    "dtype_of_numpy",
    "find_window",
    "layout_cache_clearers",
    "note_duplicate_layout",
    "register_dtype",
]
