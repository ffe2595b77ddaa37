"""Switches of PyTorch's CUDA kernels. They keep their values but have no effect, except for `matmul.allow_tf32`.

That one selects the precision of products of float32, as `set_float32_matmul_precision` does. Attention has one kernel.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from .._functions.settings import get_float32_matmul_precision, set_float32_matmul_precision
from .._lookup.absent_device import has_cuda_package
from .._lookup.names import publish

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "can_use_efficient_attention", "can_use_flash_attention", "cudnn_sdp_enabled", "enable_cudnn_sdp",
    "enable_flash_sdp", "enable_math_sdp", "enable_mem_efficient_sdp", "flash_sdp_enabled", "is_built",
    "is_flash_attention_available", "math_sdp_enabled", "matmul", "mem_efficient_sdp_enabled", "sdp_kernel",
]  # fmt: skip


class _Matmul:
    """Switches of matrix products."""

    allow_fp16_reduced_precision_reduction: bool | tuple[bool, bool] = True
    allow_bf16_reduced_precision_reduction: bool | tuple[bool, bool] = True
    allow_fp16_accumulation = False
    fp32_precision = "none"

    @property
    def allow_tf32(self) -> bool:
        """Whether products of float32 may use TF32: False if `get_float32_matmul_precision()` is "highest"."""
        return get_float32_matmul_precision() != "highest"

    @allow_tf32.setter
    def allow_tf32(self, allowed: bool) -> None:
        set_float32_matmul_precision("high" if allowed else "highest")


matmul: _Matmul = _Matmul()
_attention = {"flash": True, "math": True, "mem_efficient": True, "cudnn": True}


def is_built() -> bool:
    """Return whether the package facula-cuda is installed, with or without a device."""
    return has_cuda_package()


def flash_sdp_enabled() -> bool:
    """Return the value set by `enable_flash_sdp`. Attention has a single kernel here, regardless of the switches."""
    return _attention["flash"]


def enable_flash_sdp(enabled: bool) -> None:
    """Set the value of `flash_sdp_enabled`."""
    _attention["flash"] = enabled


def math_sdp_enabled() -> bool:
    """Return the value set by `enable_math_sdp`."""
    return _attention["math"]


def enable_math_sdp(enabled: bool) -> None:
    """Set the value of `math_sdp_enabled`."""
    _attention["math"] = enabled


def mem_efficient_sdp_enabled() -> bool:
    """Return the value set by `enable_mem_efficient_sdp`."""
    return _attention["mem_efficient"]


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Set the value of `mem_efficient_sdp_enabled`."""
    _attention["mem_efficient"] = enabled


def cudnn_sdp_enabled() -> bool:
    """Return the value set by `enable_cudnn_sdp`."""
    return _attention["cudnn"]


def enable_cudnn_sdp(enabled: bool) -> None:
    """Set the value of `cudnn_sdp_enabled`."""
    _attention["cudnn"] = enabled


def is_flash_attention_available() -> bool:
    """Return whether the kernel is available: False."""
    return False


def can_use_flash_attention(params: object, debug: bool = False) -> bool:
    """Return whether a call would use the kernel: False."""
    return False


def can_use_efficient_attention(params: object, debug: bool = False) -> bool:
    """Return whether a call would use the kernel: False."""
    return False


@contextmanager
def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> Iterator[None]:
    """Context manager that sets attention's switches.

    Arguments:
        enable_flash, enable_math, enable_mem_efficient, enable_cudnn: the values of the switches inside the block.

    >>> with sdp_kernel(enable_flash=False):
    ...     flash_sdp_enabled()
    False
    >>> flash_sdp_enabled()
    True
    """
    before = dict(_attention)
    _attention.update(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)
    try:
        yield
    finally:
        _attention.update(before)


publish(__name__)
