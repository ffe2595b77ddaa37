"""Snapshots of what an allocator holds: files of them, what they say, why memory ran out.

All of it works on plain dicts, ours or PyTorch's, with no allocator at hand. May import: what the package may.
Where next: `_types.py`, what a snapshot consists of; `_files.py` and `_check.py`, how files are read.
"""

from .._file_errors import CorruptFileError
from ._explain import explain
from ._files import read_snapshot, write_snapshot
from ._render import render_html
from ._types import Snapshot, SnapshotBlock, SnapshotEvent, SnapshotFrame, SnapshotSegment

__all__ = [
    "CorruptFileError",
    "Snapshot",
    "SnapshotBlock",
    "SnapshotEvent",
    "SnapshotFrame",
    "SnapshotSegment",
    "explain",
    "read_snapshot",
    "render_html",
    "write_snapshot",
]


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
