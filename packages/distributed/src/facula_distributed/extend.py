"""Names for sibling packages in addition to the public API.

* `default_group` and `group_of` return groups; `present_groups` is what captured functions compare.
* `observe_exchanges` reports collectives and messages to an observer, such as a profiler.
* `mirror_places` keeps a list equal to the rank and the size of the default group, for others that do not import this.
* `Reducer` averages gradients, and `VirtualRanks` those of micro-batches. `ShardingReducer` keeps a part of them.
* `divide` and `divide_gradients` divide parameters among ranks (`Shards`), each of which updates a part. Sharded
  gradients have a `ShardedGradient` in their place; `Rows` are a rank's part of a tensor in a checkpoint.
* `Unit` gathers, frees and reduces parameters that are divided among ranks, `ShardedParameter`, by a `Schedule`.
* `check_equal_models`, `copy_model` and `BufferCopies` make models equal on all ranks.
* `Join`, `Joinable` and `JoinHook` are for uneven inputs, `allreduce_hook` and others for gradients in 16 bits.
* `Future` is the result of a collective. `break_capture` breaks the capture of a function, and
  `follow_state` lets it compare a state before each replay.
* `add_options`, `launch` and `run_rank` are for command lines that start ranks.
"""

from ._captures import break_capture, follow_state
from ._groups.futures import Future, collect_all, wait_all
from ._groups.groups import default_group, group_of, mirror_places, present_groups
from ._launch.options import add_options, launch
from ._launch.rank import run_rank
from ._observer import Exchange, ExchangeObserver, observe_exchanges
from ._parallel.comm_hooks import allreduce_hook, bf16_compress_hook, fp16_compress_hook, noop_hook
from ._parallel.join import Join, Joinable, JoinHook, count_ranks, find_rank
from ._parallel.models import BufferCopies, check_equal_models, copy_model
from ._parallel.reducer import Reducer
from ._parallel.sharding import ShardedGradient, ShardingReducer, divide_gradients
from ._parallel.shards import Shards, divide
from ._parallel.virtual import VirtualRanks
from ._sharding.parameters import ShardedParameter
from ._sharding.schedule import Schedule
from ._sharding.unit import Unit
from .checkpoint._rows import Rows

__all__ = [
    "BufferCopies",
    "Exchange",
    "ExchangeObserver",
    "Future",
    "Join",
    "JoinHook",
    "Joinable",
    "Reducer",
    "Rows",
    "Schedule",
    "ShardedGradient",
    "ShardedParameter",
    "ShardingReducer",
    "Shards",
    "Unit",
    "VirtualRanks",
    "add_options",
    "allreduce_hook",
    "bf16_compress_hook",
    "break_capture",
    "check_equal_models",
    "collect_all",
    "copy_model",
    "count_ranks",
    "default_group",
    "divide",
    "divide_gradients",
    "find_rank",
    "follow_state",
    "fp16_compress_hook",
    "group_of",
    "launch",
    "mirror_places",
    "noop_hook",
    "observe_exchanges",
    "present_groups",
    "run_rank",
    "wait_all",
]

# Private attributes that siblings may use.
SIBLING_ATTRIBUTES = {"_join_config": "the present `Join` context; a name of PyTorch's, read only"}
