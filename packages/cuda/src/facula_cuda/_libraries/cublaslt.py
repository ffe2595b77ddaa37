"""Products of matrices by cublasLt, through its C API: the launch is csrc/lt.c, and this module makes its plans.

cublasLt describes matrices by columns: a matrix of rows is its transpose. The product of rows o = a b is therefore
computed as o^T = b^T a^T. Matrices whose elements are contiguous in neither direction are left to our own kernel.
"""

from __future__ import annotations

import glob
import os
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from facula_errors import OperationError
from facula_storage import Plan, bind

from .._compile.nvrtc import wheel_folders
from .._driver import ffi, lib
from .._planners.dimensions import merged
from .._planners.launches import NEVER, address_of
from .._planners.products import PRODUCTS, Sizes
from .._port.driver import on_close
from .._precision import allows_tf32
from .adapters import Request, Sample, register
from .library import Found, Library, Unusable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from facula_storage import DType

    from .._planners.dimensions import Dimension

# Constants of cublasLt.h and of the headers that it includes.
R_32F, R_64F, R_16F, C_32F, C_64F, R_16BF = 0, 1, 2, 4, 5, 14  # cudaDataType
COMPUTE_32F, COMPUTE_64F, COMPUTE_32F_FAST_TF32 = 68, 70, 77
TRANSA, TRANSB, EPILOGUE, BIAS_POINTER = 3, 4, 7, 8  # CUBLASLT_MATMUL_DESC_...
OP_T, EPILOGUE_BIAS = 1, 4
BATCH_COUNT, STRIDED_BATCH_OFFSET = 5, 6  # CUBLASLT_MATRIX_LAYOUT_...
MAX_WORKSPACE_BYTES, MIN_ALIGNMENTS = 1, (5, 6, 7, 8)  # CUBLASLT_MATMUL_PREF_...
STATUSES = {1: "NOT_INITIALIZED", 3: "ALLOC_FAILED", 7: "INVALID_VALUE", 8: "ARCH_MISMATCH", 11: "MAPPING_ERROR",
            13: "EXECUTION_FAILED", 14: "INTERNAL_ERROR", 15: "NOT_SUPPORTED", 16: "LICENSE_ERROR"}  # fmt: skip

MINIMUM = 13
WORKSPACE = 32 << 20  # bytes at most, as NVIDIA recommends for sm_90
MAX_LENGTH = 2**31 - 1
#: By dtype: the type of elements, of the computation, and of scales.
TYPES = {
    "float16": (R_16F, COMPUTE_32F, R_32F),
    "bfloat16": (R_16BF, COMPUTE_32F, R_32F),
    "float32": (R_32F, COMPUTE_32F, R_32F),
    "float64": (R_64F, COMPUTE_64F, R_64F),
    "complex64": (C_32F, COMPUTE_32F, C_32F),
    "complex128": (C_64F, COMPUTE_64F, C_64F),
}


def candidates() -> Iterator[str]:
    """Yield paths and names of libraries to try: of NVIDIA's wheel, of PyTorch's, of the system and of the toolkit."""
    for folder in wheel_folders("cublas"):
        yield from sorted(glob.glob(os.path.join(folder, "libcublasLt.so.*")), reverse=True)
    yield "libcublasLt.so.13"
    for home in (os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda"):
        if home:
            yield os.path.join(home, "lib64", "libcublasLt.so.13")


def find() -> Found:
    """Open the first library that there is."""
    for path in candidates():
        opened = lib.facula_cuda_lt_open(path.encode())
        if opened == 2:
            cause = ffi.string(lib.facula_cuda_open_error()).decode(errors="replace")
            raise Unusable(f"expected cublasLt {MINIMUM} or newer; got one without {cause}", "unknown", path)
        if opened:
            continue
        version = _version()
        if version[0] < MINIMUM:
            name = ".".join(map(str, version))
            raise Unusable(f"expected cublasLt {MINIMUM} or newer; got {name}", name, path)
        return Found(None, ".".join(map(str, version)), path)
    raise Unusable("not found")


def _version() -> list[int]:
    number, found = ffi.new("int *"), []
    for which in range(3):
        _check("cublasLtGetProperty", lib.lt.cublasLtGetProperty(which, number))
        found.append(int(number[0]))
    return found


def describe(status: int) -> str:
    """Return the name of a status.

    >>> describe(15)
    'CUBLAS_STATUS_NOT_SUPPORTED (15)'
    """
    return f"CUBLAS_STATUS_{STATUSES[status]} ({status})" if status in STATUSES else f"status {status}"


def _check(function: str, status: int) -> None:
    if status:
        raise OperationError(f"{function}: expected cublasLt to succeed; got {describe(status)}")


class Matrix(NamedTuple):
    """A matrix as cublasLt describes it: stored by columns that are `step` elements apart, perhaps transposed."""

    rows: int
    columns: int
    step: int
    transposed: bool


def matrix_of(rows: int, columns: int, row_step: int, column_step: int) -> Matrix | None:
    """Return the description of a matrix by its steps; None if there is none.

    >>> matrix_of(2, 3, 1, 2), matrix_of(2, 3, 5, 1), matrix_of(2, 3, 6, 2)
    (Matrix(rows=2, columns=3, step=2, transposed=False), Matrix(rows=3, columns=2, step=5, transposed=True), None)
    """
    if rows == 1 or row_step == 1:
        step = rows if columns == 1 else column_step
        if step >= rows:
            return Matrix(rows, columns, step, False)
    if columns == 1 or column_step == 1:
        step = columns if rows == 1 else row_step
        if step >= columns:
            return Matrix(columns, rows, step, True)
    return None


class Product(NamedTuple):
    """The three matrices of a product, and whether they are those of o^T = b^T a^T."""

    first: Matrix
    second: Matrix
    result: Matrix
    by_rows: bool


def product_of(s: Sizes) -> Product | None:
    """Return the description of a product; None if one of its matrices has none."""
    a, b = matrix_of(s.m, s.k, s.a_row, s.a_col), matrix_of(s.k, s.n, s.b_row, s.b_col)
    o = matrix_of(s.m, s.n, s.o_row, s.o_col)
    if a is None or b is None or o is None or max(s.m, s.n, s.k, a.step, b.step, o.step) > MAX_LENGTH:
        return None
    if not o.transposed and s.m > 1:
        return Product(a, b, o, False)
    turned = matrix_of(s.n, s.m, s.o_col, s.o_row)
    if turned is None or turned.transposed:
        return None
    return Product(b._replace(transposed=not b.transposed), a._replace(transposed=not a.transposed), turned, True)


class Descriptors:
    """Descriptors of one plan, destroyed with it."""

    def __init__(self) -> None:
        self.kept: list[tuple[Any, int]] = []

    def new(self, kind: str, *arguments: int) -> int:
        """Return a new descriptor of a kind: MatmulDesc, MatrixLayout or MatmulPreference."""
        made = ffi.new("int64_t *")
        _check(f"cublasLt{kind}Create", getattr(lib.lt, f"cublasLt{kind}Create")(made, *arguments))
        self.kept.append((getattr(lib.lt, f"cublasLt{kind}Destroy"), made[0]))
        return int(made[0])

    def set(self, kind: str, descriptor: int, attribute: int, ctype: str, value: int) -> None:
        """Set an attribute of a descriptor."""
        number, name = ffi.new(f"{ctype} *", value), f"cublasLt{kind}SetAttribute"
        _check(name, getattr(lib.lt, name)(descriptor, attribute, number, ffi.sizeof(ctype)))

    def layout(self, dtype: int, matrix: Matrix, batches: int, step: int) -> int:
        """Return the layout of a stack of matrices, `step` elements apart."""
        made = self.new("MatrixLayout", dtype, *matrix[:3])
        if batches > 1:
            self.set("MatrixLayout", made, BATCH_COUNT, "int32_t", batches)
            self.set("MatrixLayout", made, STRIDED_BATCH_OFFSET, "int64_t", step)
        return made

    def __del__(self) -> None:
        for destroy, descriptor in self.kept:
            destroy(descriptor)


class CublasLtAdapter:
    """Plans of products."""

    library = Library("cublaslt", find, "'nvidia-cublas>=13.1'")

    def dtypes(self, operator: str) -> Sequence[str]:
        """Return the dtypes of an operator."""
        return ("float32", "float64") if operator == "linear" else tuple(TYPES)

    def plan(self, request: Request) -> Plan | None:
        """Plan a product of matrices that are contiguous in one direction, with at most one dimension of batches."""
        output = request.outputs[0]
        layouts = [layout for layout in request.inputs if layout is not None]
        if output.dtype.name not in TYPES or any([one.dtype is not output.dtype or not one.numel for one in layouts]):
            return None
        found = PRODUCTS[request.operator](request.inputs, request.outputs)
        if found is None or not output.numel:
            return None
        sizes, dims = found
        product, batch = product_of(sizes), merged(dims[::-1])
        bias = request.inputs[2] if len(request.inputs) > 2 else None
        if product is None or len(batch) > 1 or (bias is not None and not (product.by_rows and _is_line(bias))):
            return None
        return _plan(request, product, batch, bias is not None)

    def sample(self, operator: str, dtype: DType) -> Sample:
        """Return small integers, so that sums are exact in all dtypes."""
        random = np.random.default_rng(11)

        def integers(*shape: int) -> np.ndarray:
            return random.integers(-3, 4, shape).astype(float)

        shapes: dict[str, tuple[Sequence[tuple[int, ...]], tuple[int, ...]]] = {
            "matmul": ([(2, 19, 8), (2, 8, 24)], (2, 19, 24)),
            "linear": ([(19, 8), (24, 8), (24,)], (19, 24)),
            "linear_weight_grad": ([(8, 24), (8, 19)], (24, 19)),
        }
        inputs, output = shapes[operator]
        return Sample([integers(*shape) + 0 * _unit(dtype) for shape in inputs], [(output, dtype)], dtype)


def _unit(dtype: DType) -> complex:
    return 1j if dtype.is_complex else 1.0


def _is_line(bias: Any) -> bool:
    return bool(bias.strides[0] == 1 or bias.shape[0] == 1)


def _plan(request: Request, product: Product, batch: Sequence[Dimension], biased: bool) -> Plan | None:
    """Return a plan, or None if cublasLt has no algorithm."""
    output, made = request.outputs[0], Descriptors()
    element, compute, scale = TYPES[output.dtype.name]
    if output.dtype.name == "float32" and allows_tf32():
        compute = COMPUTE_32F_FAST_TF32
    count, a_step, b_step, o_step = batch[0] if batch else (1, 0, 0, 0)
    first_step, second_step = (b_step, a_step) if product.by_rows else (a_step, b_step)
    plan = ffi.new("struct facula_cuda_lt *")
    plan.device, plan.handle = request.backend.index, handle_of(request)
    plan.operation = made.new("MatmulDesc", compute, scale)
    for attribute, matrix in ((TRANSA, product.first), (TRANSB, product.second)):
        if matrix.transposed:
            made.set("MatmulDesc", plan.operation, attribute, "int32_t", OP_T)
    plan.a_layout = made.layout(element, product.first, count, first_step)
    plan.b_layout = made.layout(element, product.second, count, second_step)
    plan.d_layout = made.layout(element, product.result, count, o_step)
    if biased:
        made.set("MatmulDesc", plan.operation, EPILOGUE, "int32_t", EPILOGUE_BIAS)
    choices = [_choice(plan, made, alignment, biased) for alignment in (lib.LT_ALIGNED, output.dtype.itemsize)]
    if any([choice is None for choice in choices]):
        return None
    plan.aligned, plan.any = [choice.algorithm for choice in choices]
    plan.workspace = max([choice.workspace for choice in choices])
    one = struct.pack("d" if compute == COMPUTE_64F else "f", 1.0)
    ffi.buffer(plan.one)[0 : len(one)] = one
    arrays = len(request.inputs) + 1
    plan.a, plan.b, plan.d = (2, 1, arrays) if product.by_rows else (1, 2, arrays)
    plan.bias, plan.workspace_place = 3 if biased else 0, arrays + 1 if plan.workspace else 0
    at, words = int(ffi.cast("intptr_t", plan)), 1 + arrays + bool(plan.workspace)
    launch = bind(address_of("facula_cuda_lt"), at, NEVER, 0, (plan, made), words)
    return Plan(request.operator, request.parameters, request.outputs, launch, int(plan.workspace))


def _choice(plan: Any, made: Descriptors, alignment: int, biased: bool) -> Any:
    """Return cublasLt's choice of an algorithm for addresses with an alignment; None if there is none."""
    preference = made.new("MatmulPreference")
    made.set("MatmulPreference", preference, MAX_WORKSPACE_BYTES, "uint64_t", WORKSPACE)
    for attribute in MIN_ALIGNMENTS:
        made.set("MatmulPreference", preference, attribute, "uint32_t", alignment)
    if biased:  # an address that shows its alignment
        made.set("MatmulDesc", plan.operation, BIAS_POINTER, "int64_t", alignment)
    choice, found = ffi.new("struct lt_choice *"), ffi.new("int *")
    layouts = plan.a_layout, plan.b_layout, plan.d_layout, plan.d_layout
    status = lib.lt.cublasLtMatmulAlgoGetHeuristic(
        plan.handle, plan.operation, *layouts, preference, 1, choice, found
    )  # fmt: skip
    return choice if not status and found[0] and not choice.state else None


_handles: dict[int, int] = {}


def handle_of(request: Request) -> int:
    """Return the library's handle for the device of a request, whose context becomes current."""
    request.backend.enter(request.operator)
    index = request.backend.index
    if index not in _handles:
        made = ffi.new("int64_t *")
        _check("cublasLtCreate", lib.lt.cublasLtCreate(made))
        _handles[index] = int(made[0])
    return _handles[index]


@on_close
def _forget(alive: bool) -> None:
    del alive  # the handles end with their contexts
    _handles.clear()


register(CublasLtAdapter(), list(PRODUCTS))
