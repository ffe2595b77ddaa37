"""Recorders, which note what a captured function does. facula_jit has one; operators report to it.

`collecting` is not empty while any thread captures, and `current_recorder` returns this thread's recorder.
`generator_lists` has functions that return the random generators of a device, for captures of its streams.
"""

from .._recorders import (
    Place,
    Recorder,
    current_recorder,
    generator_lists,
    made_elsewhere,
    next_moment,
    note_bound,
    note_constant,
    note_read,
    note_sizes,
    recorders,
)
from .._storages import collecting

__all__ = [
    "Place",
    "Recorder",
    "collecting",
    "current_recorder",
    "generator_lists",
    "made_elsewhere",
    "next_moment",
    "note_bound",
    "note_constant",
    "note_read",
    "note_sizes",
    "recorders",
]
