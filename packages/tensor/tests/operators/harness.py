"""One row per operator, expanded into everything an operator owes its users.

A `Row` names an operator's function, the same thing in NumPy, the dtypes it takes, and inputs that make sense.
The `check_*` functions below each turn a row into one kind of test: values in every dtype and memory layout,
broadcasting, promotion, in-place and `out=` forms, first and second derivatives. `test_operators.py` runs them for
every row of `rows.py`; `test_harness.py` shows that they catch a wrong value and a wrong gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import facula_tensor as ft
from facula_autograd import gradcheck, gradgradcheck

INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
NUMBERS = INTEGERS + FLOATS + COMPLEX
REALS = INTEGERS + FLOATS
ALL = ("bool", *NUMBERS)

# Relative error of a result that is rounded once or twice, and of a sum of some dozen elements.
TOLERANCE = {
    "float16": 4e-3,
    "bfloat16": 3e-2,
    "float32": 1e-5,
    "float64": 1e-12,
    "complex64": 1e-5,
    "complex128": 1e-12,
}
CARRIER = {"float16": np.float32, "bfloat16": np.float32}  # what the reference computes in

DTYPES = {name: getattr(ft, name) for name in ALL}


def same(dtype: str) -> str:
    """The result has the operands' dtype."""
    return dtype


def floating(dtype: str) -> str:
    """Integers and bool become the default floating dtype."""
    return dtype if dtype in FLOATS + COMPLEX else "float32"


def boolean(dtype: str) -> str:
    """The result is bool."""
    return "bool"


def accumulated(dtype: str) -> str:
    """Integers and bool become int64."""
    return dtype if dtype in FLOATS + COMPLEX else "int64"


def real_part(dtype: str) -> str:
    """Complex numbers become real ones."""
    return {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)


def always(name: str) -> Callable[[str], str]:
    """The result is of one dtype, whatever the operands are."""
    return lambda dtype: name


@dataclass(frozen=True)
class Row:
    """What is known of one operator.

    `function` and `reference` take as many tensors (arrays) as `arity`. `dtypes` are those it must take; for all
    others it must raise. `domain` bounds real inputs, `distinct` asks for elements that are all different.
    `elementwise` operators broadcast, and promote if there are several operands. `inplace` names the in-place method.
    `shapes` replaces the one default shape of the operands where those must fit together.
    """

    name: str
    function: Callable[..., Any]
    reference: Callable[..., Any]
    arity: int = 1
    dtypes: tuple[str, ...] = ALL
    result: Callable[[str], str] = same
    domain: tuple[float, float] = (-3.0, 3.0)
    distinct: bool = False
    elementwise: bool = False
    inplace: str | None = None
    out: bool = False
    gradient: tuple[str, ...] = ()  # dtypes of derivatives to be checked
    shapes: tuple[tuple[int, ...], ...] = ()
    layouts: tuple[str, ...] = ("contiguous", "transposed", "sliced", "expanded", "offset", "empty", "zero_dim")
    loose: float = 1.0  # factor on the tolerance
    rejects: bool = True  # dtypes outside `dtypes` raise
    meta: bool = True
    second: bool = True
    gradient_domain: tuple[float, float] | None = None
    numbers: bool = True  # the second operand may be a Python number
    with_bool: bool = True  # an operand may be bool where the other is not

    def __str__(self) -> str:
        return self.name


# --------------------------------------------------------------------------------------------------- values
def draw(rng: np.random.Generator, shape: tuple[int, ...], dtype: str, row: Row) -> np.ndarray:
    """Elements that `dtype` holds exactly, as an array that the reference computes with."""
    low, high = row.domain
    size = int(np.prod(shape))
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype in INTEGERS:
        low = max(low, 0) if dtype == "uint8" else low
        bounds = int(np.ceil(low)), int(np.floor(high))
        if row.distinct:
            first = -(size // 2) if low < 0 else 0
            return rng.permutation(np.arange(first, first + size)).reshape(shape).astype(dtype)
        return rng.integers(bounds[0], bounds[1] + 1, shape).astype(dtype)
    if dtype in COMPLEX:
        return (rng.uniform(low, high, shape) + 1j * rng.uniform(low, high, shape)).astype(dtype)
    if row.distinct:
        values = low + (high - low) * (rng.permutation(size) + 0.5).reshape(shape) / max(size, 1)
    else:
        values = rng.uniform(low, high, shape)
    return rounded(values, dtype)


def rounded(values: np.ndarray, dtype: str) -> np.ndarray:
    """Values that a floating dtype holds, in the type the reference computes in."""
    if dtype == "bfloat16":  # float32 with the low half of the bits gone
        return (np.asarray(values, np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32).reshape(np.shape(values))
    return np.asarray(values).astype(dtype).astype(CARRIER.get(dtype, dtype))


def values_of(tensor: Any) -> np.ndarray:
    """A tensor's elements, for comparing."""
    plain = tensor.detach()
    if plain.dtype.name in CARRIER:
        plain = plain.to(ft.float32)
    return np.array(plain.numpy())


def make(array: np.ndarray, dtype: str, device: str = "cpu") -> Any:
    """A contiguous tensor of these elements."""
    return ft.tensor(np.ascontiguousarray(array).reshape(array.shape), dtype=DTYPES[dtype]).to(device)


# ---------------------------------------------------------------------------------------------------- layouts
def lay(array: np.ndarray, dtype: str, layout: str, device: str = "cpu") -> Any:
    """A tensor of these elements whose memory lies as `layout` says."""
    if layout in ("contiguous", "empty", "zero_dim"):
        return make(array, dtype, device)
    if layout == "transposed":
        return (
            make(array.T, dtype, device).permute(*reversed(range(array.ndim)))
            if array.ndim
            else make(array, dtype, device)
        )
    if layout == "sliced":  # every other element of a wider tensor, in each dimension
        wide = np.zeros(tuple(2 * size for size in array.shape), array.dtype)
        wide[tuple(slice(None, None, 2) for _ in array.shape)] = array
        return make(wide, dtype, device)[tuple(slice(None, None, 2) for _ in array.shape)]
    if layout == "offset":
        wide = np.concatenate([np.zeros(5, array.dtype), array.ravel(), np.zeros(3, array.dtype)])
        return make(wide, dtype, device)[5 : 5 + array.size].view(array.shape)
    if layout == "expanded":  # the caller has made the rows equal
        return make(array[:1], dtype, device).expand(array.shape)
    raise ValueError(layout)


def operands(row: Row, dtype: str, layout: str, seed: int = 0) -> list[np.ndarray]:
    """Arrays for one call of the row."""
    rng = np.random.default_rng(seed)
    shapes = row.shapes or ((3, 4),) * row.arity
    if not row.shapes and layout == "empty":
        shapes = ((3, 0),) * row.arity
    if not row.shapes and layout == "zero_dim":
        shapes = ((),) * row.arity
    arrays = [draw(rng, shape, dtype, row) for shape in shapes]
    if layout == "expanded":
        arrays = [np.repeat(array[:1], array.shape[0], 0) for array in arrays]
    return arrays


def layouts_of(row: Row) -> list[str]:
    """The layouts that make sense for the row's shapes."""
    skipped = {"empty", "zero_dim"} if row.shapes else set()
    if row.distinct:
        skipped.add("expanded")
    return [layout for layout in row.layouts if layout not in skipped]


# ------------------------------------------------------------------------------------------------- comparing
def compare(row: Row, got: Any, expected: Any, dtype: str, what: str, device: str = "cpu") -> None:
    """Shape, dtype and values; several results one by one."""
    if isinstance(expected, tuple):
        assert len(got) == len(expected), f"{row} {what}: {len(got)} results, expected {len(expected)}"
        compare(row, got[0], expected[0], dtype, what, device)
        for one, wanted in zip(got[1:], expected[1:], strict=True):  # positions
            compare(row, one, wanted, "int64", what, device)
        return
    expected = np.asarray(expected)
    wanted_dtype = row.result(dtype) if dtype in ALL else dtype
    assert got.dtype.name == wanted_dtype, f"{row} {what}: dtype {got.dtype.name}, expected {wanted_dtype}"
    assert tuple(got.shape) == expected.shape, f"{row} {what}: shape {tuple(got.shape)}, expected {expected.shape}"
    assert got.device.type == device
    if device == "meta":
        return
    values = values_of(got)
    if wanted_dtype in ("bool", *INTEGERS):
        assert np.array_equal(values, expected.astype(wanted_dtype)), f"{row} {what}: got {values}, expected {expected}"
        return
    tolerance = TOLERANCE[wanted_dtype] * row.loose
    if dtype in CARRIER:
        tolerance = max(tolerance, TOLERANCE[dtype] * row.loose)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(values, expected, rtol=tolerance, atol=tolerance, err_msg=f"{row} {what} ({dtype})")


def reference(row: Row, arrays: list[np.ndarray], dtype: str) -> Any:
    """What NumPy makes of it, in the precision that the row's result has."""
    if row.result(dtype) in FLOATS and dtype in ("bool", *INTEGERS):
        arrays = [array.astype(np.float64) for array in arrays]
    with np.errstate(all="ignore"):
        return row.reference(*arrays)


def call(row: Row, tensors: list[Any], **kwargs: Any) -> Any:
    """The row's function on tensors."""
    return row.function(*tensors, **kwargs)


# --------------------------------------------------------------------------------------------------- checks
def check_forward(row: Row, dtype: str, device: str = "cpu") -> None:
    """Values in one dtype, in every memory layout; operands are left as they were."""
    for layout in layouts_of(row):
        arrays = operands(row, dtype, layout)
        tensors = [lay(array, dtype, layout, device) for array in arrays]
        got = call(row, tensors)
        compare(row, got, reference(row, arrays, dtype), dtype, layout, device)
        if device != "meta":
            for tensor, array in zip(tensors, arrays, strict=True):
                assert np.array_equal(values_of(tensor), array.astype(values_of(tensor).dtype)), (
                    f"{row} {layout}: operand changed"
                )


def check_rejected(row: Row, dtype: str) -> None:
    """A dtype the operator does not take is refused by name, with a remedy."""
    arrays = operands(row, "int8" if dtype == "bool" else "float32", "contiguous")
    tensors = [make(array, "float64").to(DTYPES[dtype]) for array in arrays]
    try:
        call(row, tensors)
    except (TypeError, RuntimeError) as error:
        assert dtype in str(error), f"{row}: the message does not name {dtype}: {error}"
    else:
        raise AssertionError(f"{row}: {dtype} was accepted")


BROADCASTS = [((3, 1), (4,)), ((2, 3, 4), (3, 1)), ((), (2, 3)), ((1,), (5,)), ((2, 0), (1, 1)), ((3, 4), ())]


def check_broadcast(row: Row, dtype: str, device: str = "cpu") -> None:
    """Operands of different shapes, and what does not broadcast."""
    rng = np.random.default_rng(1)
    for first, second in BROADCASTS:
        shapes = [first, second, first][: row.arity]
        arrays = [draw(rng, shape, dtype, row) for shape in shapes]
        got = call(row, [make(array, dtype, device) for array in arrays])
        compare(row, got, reference(row, arrays, dtype), dtype, f"broadcast {shapes}", device)
    shapes = [(2, 3), (4, 3), (2, 3)][: row.arity]
    tensors = [make(draw(rng, shape, dtype, row), dtype, device) for shape in shapes]
    try:
        call(row, tensors)
    except ValueError as error:
        assert "(2, 3)" in str(error) and "(4, 3)" in str(error), error
    else:
        raise AssertionError(f"{row}: shapes {shapes} were accepted")


def check_promotion(row: Row, first: str, second: str) -> None:
    """Two dtypes give what both operands converted by hand give, for tensors of any kind and for Python numbers."""
    rng = np.random.default_rng(2)
    if not row.with_bool and "bool" in (first, second):
        return
    a, b = draw(rng, (3,), first, row), draw(rng, (3,), second, row)
    number = b.ravel()[0].item()
    if first == "uint8" and isinstance(number, int) and number < 0 and row.result("uint8") == "uint8" and row.numbers:
        raises(OverflowError, lambda: call(row, [make(a, first), number]), "uint8")
        number = 1
    cases: list[tuple[Any, Any]] = [
        (make(a, first), make(b, second)),
        (make(a, first), make(b[0], second)),
        (make(a[0], first), make(b, second)),
    ]
    if row.numbers:
        cases.append((make(a, first), number))
    for x, y in cases:
        common = ft.result_type(x, y)
        if common.name not in row.dtypes:
            continue
        got = call(row, [x, y])
        if (
            isinstance(y, int) and first in INTEGERS and row.result("uint8") == "bool"
        ):  # comparisons are exact for any number
            common = ft.int64
        y = y.to(common) if isinstance(y, ft.Tensor) else ft.tensor(y, dtype=common)
        wanted = call(row, [x.to(common), y])
        assert got.dtype is wanted.dtype, f"{row} {first} {second}: {got.dtype}, expected {wanted.dtype}"
        tolerance = TOLERANCE.get(wanted.dtype.name, 0)
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(
                values_of(got), values_of(wanted), rtol=tolerance, atol=tolerance, err_msg=str(row)
            )


def check_inplace(row: Row, dtype: str) -> None:
    """The in-place method gives the same values in the same memory, on any layout it can write."""
    for layout in layouts_of(row):
        arrays = operands(row, dtype, layout)
        tensors = [lay(array, dtype, layout) for array in arrays]
        target, others = tensors[0], [make(array, dtype) for array in arrays[1:]]
        before, address = target._version, target.data_ptr()
        if row.result(dtype) != dtype and dtype not in COMPLEX:  # a float does not go into an integer
            kept = values_of(target)
            raises(RuntimeError, lambda t=target, o=others: getattr(t, row.inplace)(*o), dtype)
            assert np.array_equal(values_of(target), kept) and target._version == before
            continue
        if layout == "expanded":
            kept = values_of(target)
            raises(RuntimeError, lambda t=target, o=others: getattr(t, row.inplace)(*o), "share")
            assert np.array_equal(values_of(target), kept) and target._version == before
            continue
        result = getattr(target, row.inplace)(*others)
        assert result is target and target.data_ptr() == address, f"{row}: {row.inplace} returned something else"
        assert target._version > before, f"{row}: {row.inplace} did not count"
        compare(row, target, reference(row, arrays, dtype), dtype, f"in-place {layout}")


def check_out(row: Row, dtype: str) -> None:
    """`out=` writes to what is given, wider dtypes and any strides included, and refuses the rest untouched."""
    arrays = operands(row, dtype, "contiguous")
    expected = np.asarray(reference(row, arrays, dtype))
    tensors = [make(array, dtype) for array in arrays]
    wanted = row.result(dtype)
    for layout in ("contiguous", "transposed", "sliced"):
        out = lay(np.zeros(expected.shape, bool), wanted, layout)
        address = out.data_ptr()
        assert call(row, tensors, out=out) is out and out.data_ptr() == address
        compare(row, out, expected, dtype, f"out {layout}")
    empty = ft.empty(0, dtype=DTYPES[wanted])
    call(row, tensors, out=empty)
    compare(row, empty, expected, dtype, "empty out")
    wide = ft.zeros(expected.shape, dtype=ft.complex128)
    call(row, tensors, out=wide)
    tolerance = TOLERANCE.get(wanted, 1e-9) * row.loose
    np.testing.assert_allclose(values_of(wide), expected, rtol=max(tolerance, TOLERANCE.get(dtype, 0)), atol=tolerance)
    small = ft.full((7, 5), 1, dtype=DTYPES[wanted])
    version = small._version
    raises(ValueError, lambda: call(row, tensors, out=small), "out")
    assert values_of(small).all() and small._version == version, f"{row}: out was written before the error"
    leaf = ft.zeros(expected.shape, dtype=ft.complex128).requires_grad_()
    raises(RuntimeError, lambda: call(row, tensors, out=leaf), "gradient")


def raises(kind: type[BaseException], action: Callable[[], Any], text: str = "") -> None:
    """`action` raises `kind` with `text` in its message."""
    try:
        action()
    except kind as error:
        assert text in str(error), f"expected {text!r} in: {error}"
    else:
        raise AssertionError(f"expected {kind.__name__}")


def check_gradient(row: Row, dtype: str, *, second: bool = False) -> None:
    """Derivatives by central differences, on contiguous, transposed and broadcast operands."""
    inner = row if row.gradient_domain is None else Row(**{**vars(row), "domain": row.gradient_domain})
    for layout in [one for one in layouts_of(row) if one in ("contiguous", "transposed", "sliced", "zero_dim")]:
        arrays = operands(inner, dtype, layout, seed=3)
        _gradients(row, [lay(array, dtype, layout).requires_grad_() for array in arrays], second)
    if row.elementwise and row.arity == 2:
        rng = np.random.default_rng(4)
        for shapes in (((2, 1), (3,)), ((), (2, 2))):
            arrays = [draw(rng, shape, dtype, inner) for shape in shapes]
            _gradients(row, [make(array, dtype).requires_grad_() for array in arrays], second)
        x, y = (draw(rng, (3,), dtype, inner) for _ in range(2))
        number = y[0].item()
        if row.numbers:
            _gradients(row, [make(x, dtype).requires_grad_()], second, lambda a: call(row, [a, number]))


def _gradients(row: Row, tensors: list[Any], second: bool, function: Callable[..., Any] | None = None) -> None:
    check = gradgradcheck if second else gradcheck
    check(function or (lambda *given: call(row, list(given))), tensors, atol=1e-4 if second else 1e-5, rtol=1e-3)


STEPPED = ("floor_divide", "remainder", "fmod", "maximum", "minimum")  # x and itself meet where these have no slope


def check_inplace_gradient(row: Row, dtype: str, *, second: bool = False) -> None:
    """Derivatives through the in-place method: of a tensor used before, of a view, and with the tensor itself."""
    inner = row if row.gradient_domain is None else Row(**{**vars(row), "domain": row.gradient_domain})
    arrays = operands(inner, dtype, "contiguous", seed=5)
    tensors = [make(array, dtype).requires_grad_() for array in arrays]

    def changed(x: Any, *others: Any) -> Any:
        target = x * 1
        before = target + 1
        return getattr(target, row.inplace)(*others) * before

    def changed_in_part(x: Any, *others: Any) -> Any:
        whole = x * 1
        getattr(whole.t()[1:3], row.inplace)(*[other.t()[1:3] for other in others])
        return whole * x

    def changed_by_itself(x: Any) -> Any:
        target = x * 1
        return getattr(target, row.inplace)(*[target] * (row.arity - 1))

    functions = [changed, changed_in_part]
    if row.name not in STEPPED:
        functions.append(changed_by_itself)
    for function in functions:
        _gradients(row, tensors[: 1 if function is changed_by_itself else None], second, function)
