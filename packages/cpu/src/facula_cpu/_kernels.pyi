"""Types of the module that cffi generates: the fields of structs are numbers and addresses."""

from typing import SupportsIndex, overload

class CType:
    cname: str
    item: CType

class CData:
    def __getattr__(self, name: str) -> int: ...
    def __setattr__(self, name: str, value: object) -> None: ...
    def __getitem__(self, index: int) -> int: ...
    def __setitem__(self, index: int | slice, value: object) -> None: ...
    def __int__(self) -> int: ...
    def __len__(self) -> int: ...

class Entry(CData):
    """`struct facula_kernel`."""

    name: CData
    function: CData
    cost: int
    level: int
    signature: list[bytes]
    kind: int

class PlanField(CData):
    """`struct facula_plan_field`."""

    name: CData
    kind: CData
    offset: int
    step: int

class PlanType(CData):
    """`struct facula_plan_type`."""

    name: CData
    bytes: int
    fields: list[PlanField]
    def numbers(self, plan: CData) -> float: ...

class FFI:
    NULL: CData
    def typeof(self, kind: str | CData) -> CType: ...
    def new(self, kind: str | CType, init: object = ...) -> CData: ...
    def cast(self, kind: str | CType, value: SupportsIndex | CData) -> CData: ...
    def buffer(self, data: CData, size: int = ...) -> memoryview: ...
    @overload
    def from_buffer(self, data: object, *, require_writable: bool = ...) -> CData: ...
    @overload
    def from_buffer(self, kind: str, data: object) -> CData: ...
    def memmove(self, target: CData, source: CData, count: int) -> None: ...
    def sizeof(self, kind: str | CType | CData) -> int: ...
    def string(self, data: CData) -> bytes: ...

class Library:
    FACULA_REGULAR_WINDOWS: int
    FACULA_EVEN_WINDOWS: int
    FACULA_NO_WINDOWS: int
    FACULA_NEAREST_TAPS: int
    FACULA_LINEAR_TAPS: int
    FACULA_CUBIC_TAPS: int
    FACULA_REFLECTED_TAPS: int
    FACULA_REPEATED_TAPS: int
    FACULA_CIRCULAR_TAPS: int
    FACULA_CONVOLUTION_ROWS: int
    FACULA_DEPTHWISE_BAND: int
    FACULA_DEPTHWISE_LINES: int
    FACULA_DEPTHWISE_SUMS: int
    FACULA_RESPONSE_TILE: int
    FACULA_SHALLOW_RESULTS: int
    FACULA_SHALLOW_INPUT: int
    FACULA_SHALLOW_WEIGHTS: int
    FACULA_DEPTHWISE_TAPS: int
    FACULA_MASK: int
    FACULA_RESAMPLE_ROOM: int
    FACULA_GATHER: int
    FACULA_GATHER_DIMS: int
    FACULA_SCATTER: int
    FACULA_SCATTER_ADD: int
    FACULA_SCATTER_MULTIPLY: int
    FACULA_SCATTER_MAX: int
    FACULA_SCATTER_MIN: int

    def facula_best_level(self) -> int: ...
    def facula_regular_taps(
        self,
        kind: int,
        numbers: list[float],
        length: int,
        count: int,
        is_double: bool,
        starts: CData,
        places: CData,
        weights: CData,
    ) -> int: ...
    def facula_find_kernel(self, name: bytes, signature: bytes, level: int) -> Entry | None: ...
    def facula_kernel_at(self, index: int) -> Entry | None: ...
    def facula_find_plan_type(self, name: bytes) -> PlanType | None: ...
    def facula_is_checked(self, kernel: bytes) -> int: ...
    def facula_plans_digest(self) -> int: ...
    def facula_complete_convolution(self, plan: CData, threads: int) -> int: ...
    def facula_complete_winograd(self, plan: CData, weights: bool, lanes: int, threads: int) -> int: ...
    def facula_threads(self) -> int: ...
    def facula_threads_setting(self) -> int: ...
    def facula_set_threads(self, count: int) -> None: ...
    def facula_observe_jobs(self, observer: CData) -> CData: ...

ffi: FFI
lib: Library
