"""Names for sibling packages in addition to the public API: arenas, leases, messages, and supervision of processes.

`new_block` allocates shared memory of this process. `register_reduction` registers how a class of objects is sent: with
`send`, which returns the handle of a block, and `receive`, which opens it in the receiver. `block_under` returns the
block of an array. `arena_usage` returns how much shared memory this process uses. `add_program` and `run_program` are
for command lines that run a script or a module.
"""

from ._arenas.arena import Arena, capacity_for
from ._arenas.memory import reserve
from ._processes.fork_server import preload_fork_server
from ._processes.program import add_program, run_program
from ._processes.supervision import Stacks, keep_from_children, no_longer_kept
from ._transfer.blocks import starting_workers
from ._transfer.handles import Handle
from ._transfer.leases import Leases
from ._transfer.messages import Blocks, Writer, decode
from ._transfer.outgoing import SharedBlock
from ._transfer.reductions import block_under, encode, register_reduction
from ._transfer.sharing import arena_usage, new_block, receive, send

__all__ = [
    "Arena",
    "Blocks",
    "Handle",
    "Leases",
    "SharedBlock",
    "Stacks",
    "Writer",
    "add_program",
    "arena_usage",
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
    "run_program",
    "send",
    "starting_workers",
]
