"""What sibling packages may use of facula_cpu beyond its public names."""

from ._levels import at_level, levels

__all__ = ["at_level", "levels"]
