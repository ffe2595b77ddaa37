"""What sibling packages use beyond the public names: arenas, leases, messages, and processes that watch each other.

`new_block` is shared memory of this process; `register_reduction` says how a class of objects travels: by `send`, which
names a block, and `receive`, which gives it to whoever has the name; `block_under` is the one that an array lies in.
"""

from ._arena import Arena, capacity_for
from ._blocks import starting_workers
from ._fork_server import preload_fork_server
from ._handles import Handle
from ._leases import Leases
from ._memory import reserve
from ._messages import Blocks, Writer, decode
from ._outgoing import SharedBlock
from ._reductions import block_under, encode, register_reduction
from ._sharing import new_block, receive, send
from ._supervision import Stacks, keep_from_children, no_longer_kept

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
