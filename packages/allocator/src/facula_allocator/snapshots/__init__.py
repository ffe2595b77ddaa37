"""Snapshots of an allocator's state: files, reports, and explanations of out-of-memory errors.

Everything here works on plain dicts, this package's or PyTorch's, and needs no allocator. May import: the same modules
as the package. Start with `_reports/snapshot_types.py`, the types of a snapshot; `_files.py` and `_check.py` read
files.
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
