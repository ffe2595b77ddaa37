"""What sibling packages use beyond the public names: arenas, leases, messages, and processes that watch each other."""

from ._arena import Arena, capacity_for
from ._leases import Leases, starting_workers
from ._messages import Blocks, Writer, decode
from ._supervision import Stacks, keep_from_children, no_longer_kept

__all__ = [
    "Arena",
    "Blocks",
    "Leases",
    "Stacks",
    "Writer",
    "capacity_for",
    "decode",
    "keep_from_children",
    "no_longer_kept",
    "starting_workers",
]
