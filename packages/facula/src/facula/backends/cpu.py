"""The CPU's instruction sets, and `convolution`, the algorithm of convolutions: "fast" or "direct".

Assigning to it calls `facula_cpu.set_convolution_algorithm`, which describes both.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

from facula_cpu import get_convolution_algorithm, level, set_convolution_algorithm

from .._lookup.names import publish

if TYPE_CHECKING:
    from typing import Literal

    # "direct" sums products in the order of the definition; "fast" may use Winograd algorithms.
    convolution: Literal["fast", "direct"]

__all__ = ["convolution", "get_cpu_capability"]


def get_cpu_capability() -> str:
    """Return the instruction set that kernels use, under PyTorch's names: "DEFAULT", "AVX2" or "AVX512".

    `facula_cpu.level()` also tells whether products of bfloat16 use AVX512-BF16.

    >>> get_cpu_capability() in ("DEFAULT", "AVX2", "AVX512")
    True
    """
    return {"baseline": "DEFAULT", "avx512_bf16": "AVX512"}.get(level(), level().upper())


class _Module(ModuleType):
    """This module, with an attribute that is checked when it is set."""

    @property
    def convolution(self) -> str:
        return get_convolution_algorithm()

    @convolution.setter
    def convolution(self, algorithm: Literal["fast", "direct"]) -> None:
        set_convolution_algorithm(algorithm)


sys.modules[__name__].__class__ = _Module
publish(__name__)
