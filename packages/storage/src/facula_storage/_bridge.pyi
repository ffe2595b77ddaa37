"""The C module: launches, the buffer protocol, DLPack capsules, the garbage collector and other threads."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

_T = TypeVar("_T")

class LaunchError(RuntimeError):
    """A kernel rejected its arguments. `args` are the status, four details, and the index of a launch in a sequence."""

    args: tuple[int, ...]

class Export:
    """Memory exported through the buffer protocol; strides in bytes, all arguments positional."""

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
        /,
    ) -> None: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...

def bind(
    kernel: int, plan: int, release_at: int, doubles: int, owner: object, count: int = 0, /
) -> Callable[..., None]: ...
def rebind(launch: Callable[..., None], shaper: int, /, *layouts: Any) -> Callable[..., None] | None: ...
def workspace_of(launch: Callable[..., None], /) -> int: ...
def unbind(launch: Callable[..., None], /) -> tuple[int, int, int, tuple[Any, ...]]: ...
def launch_count() -> int: ...
def observe_replays(observer: int, /) -> int: ...

ABSENT: object  # a slot or key is missing
ANY: object  # every value

def snapshot_bytes(array: object, /) -> bytes: ...

class Sequence:
    """A list of launches for one call, with the checks that must pass first; see Note [Sequences] in _sequences.py."""

    def __new__(
        cls,
        slots: tuple[object, ...],
        launches: list[Any],
        inputs: list[Any],
        values: int,
        patches: list[tuple[int, int, int, int]],
        checks: list[Any],
        changed: list[Any],
        puts: list[Any],
        spans: list[tuple[int, int, bool]],
        /,
    ) -> Sequence: ...
    def run(self, inputs: tuple[object, ...], values: tuple[int, ...], /) -> int | None: ...
    def returns(
        self, kind: type, layout: object, offset: int, node: object, memory: object, release: object, /
    ) -> None: ...
    def serve(self, inputs: tuple[object, ...], /) -> Any: ...
    def combine(self, launch: Callable[..., None], /) -> bool: ...
    def expect(self, check: int, value: object, /) -> None: ...
    def failed_step(self) -> int: ...
    def label(self, kinds: list[int], /) -> bool: ...
    def set(self, launch: int, argument: int, value: float, /) -> None: ...

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

class DLPackArray(NamedTuple):
    """The description of the memory in a DLPack capsule."""

    address: int
    device_type: int
    device_index: int
    type_code: int
    bits: int
    lanes: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    byte_offset: int
    readonly: bool

def dlpack_read(capsule: object, /) -> DLPackArray: ...
def dlpack_consume(capsule: object, /) -> object: ...
def describe_array(array: object, /) -> tuple[int, bytes] | None: ...
def array_sharer(parts: tuple[object, ...], /) -> Callable[[object], Any]: ...
def dict_descriptor(cls: type, /) -> Any: ...
def reorder_bases(cls: type, metaclass: type, /) -> None: ...
def use_layouts(
    cls: type,
    tables: tuple[dict[Any, Any], dict[Any, Any], Callable[[dict[Any, Any]], None]],
    cpu: object,
    observers: tuple[list[Any], Callable[[Any], None]],
    strides_limit: int,
    shapes_limit: int,
    dtypes: int,
    places: int,
    /,
) -> None: ...
def find_layout(shape: Any, strides: tuple[int, ...] | None, dtype: Any, device: Any, /) -> Any: ...
def find_window(layout: Any, index: tuple[Any, ...], /) -> Any: ...
def new_instance(cls: type[_T], /) -> _T: ...
def collection_callback(running: dict[object, None], /) -> Callable[[str, dict[str, int]], None]: ...
def call_filter(ignored: dict[int, Any], function: Callable[..., Any], /) -> Callable[..., Any]: ...
def threads_inside(names: set[str], /) -> set[int]: ...
