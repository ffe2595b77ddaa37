"""The architecture that kernels of a device are compiled for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import OperationError

if TYPE_CHECKING:
    from collections.abc import Sequence


def architecture_for(capability: tuple[int, int], supported: Sequence[int]) -> str:
    """Return the architecture to compile for, as NVRTC's option names it.

    Machine code runs on devices of the same major version whose minor version is not lower.

    Arguments:
        capability: the device's compute capability, such as (9, 0).
        supported: the compiler's architectures, such as 90 for 9.0.

    Raises:
        OperationError: the compiler supports no architecture that the device can run.

    >>> architecture_for((9, 0), (80, 86, 90)), architecture_for((8, 7), (80, 86, 90))
    ('sm_90', 'sm_86')
    """
    major, minor = capability
    found = [one for one in supported if one // 10 == major and one % 10 <= minor]
    if not found:
        known = ", ".join(f"{one // 10}.{one % 10}" for one in supported)
        remedy = "Install a newer NVRTC" if not supported or major > supported[-1] // 10 else "Install an older NVRTC"
        raise OperationError(
            f"cuda: expected a device of a compute capability that NVRTC compiles for ({known}); got one of "
            f"{major}.{minor}. {remedy}: pip install nvidia-cuda-nvrtc"
        )
    return f"sm_{max(found)}"
