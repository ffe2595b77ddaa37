"""Snapshots of what an allocator holds: files of them, what they say, why memory ran out.

All of it works on plain dicts, ours or PyTorch's, with no allocator at hand. May import: what the package may.
Where next: `_reports/snapshot_types.py`, the types of a snapshot; `_files.py` and `_check.py`, how files are read.
"""

from facula_errors import CorruptFileError
from facula_errors.extend import published as _published

from .._reports.snapshot_types import Snapshot, SnapshotBlock, SnapshotEvent, SnapshotFrame, SnapshotSegment
from ._explain import explain
from ._files import read_snapshot, write_snapshot
from ._render import render_html

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


__dir__ = _published(__name__)
