"""Names for sibling packages in addition to the public API.

* `default_group` and `group_of` return groups; `backends` is what captured functions compare.
* `observe_exchanges` reports collectives and messages to an observer, such as a profiler.
* `mirror_places` keeps a list equal to the rank and the size of the default group, for others that do not import this.
* `add_options`, `launch` and `run_rank` are for command lines that start ranks.
"""

from ._groups.groups import backends, default_group, group_of, mirror_places
from ._launch.options import add_options, launch
from ._launch.rank import run_rank
from ._observer import Exchange, ExchangeObserver, observe_exchanges

__all__ = [
    "Exchange", "ExchangeObserver", "add_options", "backends", "default_group", "group_of", "launch", "mirror_places",
    "observe_exchanges", "run_rank",
]  # fmt: skip
