"""The CPU's instruction sets."""

from facula_cpu import level

from .._lookup.names import publish

__all__ = ["get_cpu_capability"]


def get_cpu_capability() -> str:
    """Return the instruction set that kernels use, under PyTorch's names: "DEFAULT", "AVX2" or "AVX512".

    >>> get_cpu_capability() in ("DEFAULT", "AVX2", "AVX512")
    True
    """
    return {"baseline": "DEFAULT"}.get(level(), level().upper())


publish(__name__)
