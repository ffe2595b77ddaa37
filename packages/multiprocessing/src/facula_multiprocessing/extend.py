"""What sibling packages use beyond the public names: arenas, leases, messages, and processes that watch each other.

`new_block` is shared memory of this process; `register_reduction` says how a class of objects travels: by `send`, which
names a block, and `receive`, which gives it to whoever has the name; `block_under` is the one that an array lies in.
"""

from ._arenas.arena import Arena, capacity_for
from ._arenas.memory import reserve
from ._processes.fork_server import preload_fork_server
from ._processes.supervision import Stacks, keep_from_children, no_longer_kept
from ._transfer.blocks import starting_workers
from ._transfer.handles import Handle
from ._transfer.leases import Leases
from ._transfer.messages import Blocks, Writer, decode
from ._transfer.outgoing import SharedBlock
from ._transfer.reductions import block_under, encode, register_reduction
from ._transfer.sharing import new_block, receive, send

__all__ = [
    "Arena",
    "Blocks",
    "Handle",
    "Leases",
    "SharedBlock",
    "Stacks",
    "Writer",
    "block_under",
    "capacity_for",
    "decode",
    "encode",
    "keep_from_children",
    "new_block",
    "no_longer_kept",
    "preload_fork_server",
    "receive",
    "register_reduction",
    "reserve",
    "send",
    "starting_workers",
]
