"""What sibling packages may use of facula_distributions beyond its public names."""

from ._transform import _Inverse as InverseTransform

__all__ = ["InverseTransform"]
