"""The interface of facula_cpu for sibling packages beyond its public names."""

from ._levels import at_level, levels
from ._portable import KernelName, Part, PortablePlan, portable_plan
from ._runtime.planners import planners
from ._runtime.registry import is_loop
from ._tables import ADDRESS, CELL, NUMBER, OWN, TEMPORARY, TENSOR, Tables, bits_of, with_streams, wrapped

__all__ = [
    "ADDRESS",
    "CELL",
    "NUMBER",
    "OWN",
    "TEMPORARY",
    "TENSOR",
    "KernelName",
    "Part",
    "PortablePlan",
    "Tables",
    "at_level",
    "bits_of",
    "is_loop",
    "levels",
    "planners",
    "portable_plan",
    "with_streams",
    "wrapped",
]
