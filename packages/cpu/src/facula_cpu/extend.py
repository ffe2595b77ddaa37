"""What sibling packages may use of facula_cpu beyond its public names."""

from ._levels import at_level, levels
from ._portable import KernelName, Part, PortablePlan, portable_plan

__all__ = ["KernelName", "Part", "PortablePlan", "at_level", "levels", "portable_plan"]
