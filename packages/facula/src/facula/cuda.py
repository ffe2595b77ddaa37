"""The CUDA device, as far as it can be asked about without a CUDA backend."""

__all__ = ["device_count", "is_available"]


def is_available() -> bool:
    """Whether tensors can be put on device "cuda": False, since there is no CUDA backend yet.

    >>> is_available()
    False
    """
    return False


def device_count() -> int:
    """The number of CUDA devices that tensors can be put on.

    >>> device_count()
    0
    """
    return 0
