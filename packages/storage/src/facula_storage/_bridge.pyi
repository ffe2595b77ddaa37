from collections.abc import Callable
from typing import Any

class LaunchError(RuntimeError): ...

class Export:
    def __init__(
        self,
        owner: object,
        released: Callable[[], object],
        address: int,
        format: str,
        itemsize: int,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        readonly: bool,
    ) -> None: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...

def bind(kernel: int, plan: int, release_at: int, doubles: int, owner: object, /) -> Callable[..., None]: ...
def dlpack_export(
    owner: object,
    address: int,
    device_type: int,
    device_id: int,
    code: int,
    bits: int,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    versioned: bool,
    readonly: bool,
    /,
) -> object: ...
def dlpack_import(capsule: object, /) -> tuple[Any, ...]: ...
