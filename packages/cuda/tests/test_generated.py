"""Generated kernels give the CPU's bits: each operator and dtype, contiguous and strided, at AVX2 and AVX-512."""

import ctypes
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
from shim_kernels import ORDERS

from facula_cpu import CpuBackend
from facula_cpu.extend import at_level, is_loop, levels
from facula_cuda._elements import headers
from facula_cuda._generate import folded_blocks, generate
from facula_cuda._generate.values import SIZES
from facula_cuda.check._forms import complex_forms, forms, is_nan, operand, operators, storage
from facula_cuda.testing import build
from facula_storage import MallocAllocator, contiguous
from facula_storage.extend import Instruction, Program
from facula_storage.extend.layouts import dtype_of_code

BACKEND = CpuBackend(MallocAllocator())
COUNT, THREADS = 1009, 256
SCALARS = {int: 3, float: 0.7, complex: 1.5 - 2j}
VECTORS = [level for level in levels() if level != "baseline"]  # the baseline has no fused multiply-add
FLOAT16, FLOAT32, FLOAT64 = 7, 9, 10


@pytest.fixture(scope="module")
def made():
    """Return all forms, compiled together."""
    found = forms()
    sources = sorted([kernels.source for kernels in found.values()])  # by the headers that they include
    groups = [sources[place::6] for place in range(6)]
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda group: build.prebuild(group, headers(), len(group)), groups))
    return found


@cache
def library_of(source):
    """Return the library of a source."""
    return ctypes.CDLL(str(build.library(source, headers())))


def run(kernels, name, words, blocks):
    """Run a kernel on arrays, numbers of the scalars' types, and further words."""
    library = library_of(kernels.source)
    block = np.zeros(len(words), np.int64)
    for place, word in enumerate(words):
        if isinstance(word, float):
            block[place : place + 1].view(np.float64)[0] = word
        else:
            block[place] = word.ctypes.data if isinstance(word, np.ndarray) else word
    getattr(library, name)(ctypes.c_void_p(block.ctypes.data), blocks, THREADS)
    library.facula_shim_failure.restype = ctypes.c_char_p
    assert library.facula_shim_failure() is None


def nest_of(*lines):
    """Return the words of a nest: an extent and the steps of all arrays in bytes for each dimension."""
    words = [len(lines), *[line[0] for line in lines], *[0] * (6 - len(lines))]
    return words + [step for line in lines for step in line[1]] + [0] * (6 - len(lines)) * len(lines[0][1])


def operands_of(form, kernels):
    """Return the input arrays, and the scalars as the CPU and the kernels take them."""
    arrays = [operand(kind, place, COUNT) for place, kind in enumerate(form[1]) if isinstance(kind, int)]
    if kernels.requires and isinstance(form[1][1], int):
        arrays[-1][arrays[-1] == 0] = 1
    scalars = [SCALARS[kind] for kind in form[1] if isinstance(kind, type)]
    scalars = [part for number in scalars for part in ([number.real, number.imag] if number.imag else [number])]
    return arrays, scalars, [kind(number) for kind, number in zip(kernels.scalars, scalars, strict=True)]


def wanted(form, arrays, scalars):
    """Return the CPU's result."""
    operator, kinds, (output,) = form
    layouts = {code: contiguous((COUNT,), dtype_of_code(code)) for code in (*kinds, output) if isinstance(code, int)}
    result = np.zeros(COUNT, storage(output))
    inputs = tuple([kind if isinstance(kind, type) else layouts[kind] for kind in kinds])
    plan = BACKEND.plan(operator, inputs, (layouts[output],), ())
    plan.launch(COUNT, *[array.ctypes.data for array in arrays], result.ctypes.data, *scalars)
    return result


def test_all_operators_are_generated():
    """Check that each operator of the templates has kernels for one dtype at least."""
    generated = {form[0] for form in forms()}
    missing = {name for name in operators() if is_loop(name)} - generated
    assert missing == set()
    assert len(generated) > 110


@pytest.mark.parametrize("level", VECTORS)
def test_bits_are_those_of_the_cpu(made, level):
    """Compare contiguous arrays, whose last pack is incomplete, and reversed ones."""
    different = []
    with at_level(level):
        for form, kernels in made.items():
            arrays, scalars, numbers = operands_of(form, kernels)
            want, code = wanted(form, arrays, scalars), form[2][0]
            record, dense, reversed_ = np.zeros(1, np.uint64), np.zeros_like(want), np.zeros_like(want)
            words = [COUNT, *arrays, dense, *numbers, *[record] * bool(kernels.requires)]
            run(kernels, kernels.dense, words, -(-COUNT // (THREADS * kernels.vector)))
            ends = [array.ctypes.data + (COUNT - 1) * array.itemsize for array in (*arrays, reversed_)]
            nest = nest_of((COUNT, [-size for size in kernels.itemsizes]))
            words = [COUNT, *ends, *numbers, *nest, *[record] * bool(kernels.requires)]
            run(kernels, kernels.nested, words, 2)
            for result in (dense, reversed_):
                with np.errstate(invalid="ignore"):
                    equal = (result == want) | (is_nan(code, want) & is_nan(code, result))
                if record[0] or not equal.all():
                    different.append((form, int((~equal).sum())))
    assert different == [], different[:4]


#: Functions of complex numbers whose last bits are not glibc's: the difference in units of the modulus.
APPROXIMATE = dict.fromkeys(
    "log log2 log10 sqrt rsqrt tan tanh sin cos sinh cosh pow asin acos atan asinh acosh atanh".split(), 4
)


def test_complex_numbers():
    """Compare contiguous arrays: bits, except functions by formulas, and NaN and infinities in the same places."""
    made, different = complex_forms(), []
    build.prebuild([kernels.source for kernels in made.values()], headers(), len(made))
    assert len({form[0] for form in made}) > 25
    for form, kernels in made.items():
        arrays, scalars, numbers = operands_of(form, kernels)
        want, code = wanted(form, arrays, scalars), form[2][0]
        result = np.zeros_like(want)
        run(kernels, kernels.dense, [COUNT, *arrays, result, *numbers], -(-COUNT // (THREADS * kernels.vector)))
        if code not in (11, 12):
            equal = (result == want) | (is_nan(code, want) & is_nan(code, result))
        else:
            finite = np.isfinite(want) & np.isfinite(result)
            with np.errstate(all="ignore"):
                bound = APPROXIMATE.get(form[0], 0) * np.finfo(want.dtype).eps * abs(want)
                equal = np.where(finite, abs(result - want) <= bound, np.isfinite(want) == np.isfinite(result))
                equal |= result == want
            if form[0] == "pow":  # exp(y log(x)): C multiplies infinities by rules of its own
                with np.errstate(all="ignore"):
                    bound = bound * (1 + np.nan_to_num(abs(arrays[1] * np.log(arrays[0])), posinf=0))
                    equal = (finite & (abs(result - want) <= bound)) | ~np.isfinite(want)
                equal |= ~(np.isfinite(arrays[0]) & np.isfinite(arrays[1]))
        if not equal.all():
            different.append((form, int((~equal).sum()), want[~equal][:3], result[~equal][:3]))
    assert different == [], different[:4]


def test_nested_kernels_broadcast(made):
    """Add a row and a column of a table, in 32-bit and in 64-bit index arithmetic alike."""
    kernels = made["add", (FLOAT32, FLOAT32), (FLOAT32,)]
    row, column, table = np.arange(7, dtype="f4"), np.arange(5, dtype="f4") * 10, np.zeros((5, 7), "f4")
    run(kernels, kernels.nested, [35, row, column, table, *nest_of((7, [4, 0, 4]), (5, [0, 4, 28]))], 1)
    assert (table == row + column[:, None]).all()


def test_refused_elements_are_reported():
    """Check the statuses of a zero divisor and of a requirement, and that the first report is kept."""
    divide = generate("floor_divide", (5, 5), (5,))
    program = Program("checked", 1, (0.0,), (Instruction("ge", (0, 1)), Instruction("require", (2,)),
                                             Instruction("sqrt", (0,))), (4,))  # fmt: skip
    root = generate(program, (FLOAT32,), (FLOAT32,))
    assert (divide.requires, root.requires) == (6, 8)
    record = np.zeros(1, np.uint64)
    x, y, result = np.full(100, 7, "i4"), np.full(100, 2, "i4"), np.zeros(100, "i4")
    run(divide, divide.dense, [100, x, y, result, record], 1)
    assert record[0] == 0 and (result == 3).all()
    y[57] = 0
    run(divide, divide.dense, [100, x, y, result, record], 1)
    assert record[0] == 6
    numbers, roots = np.full(100, 4, "f4"), np.zeros(100, "f4")
    numbers[3] = -1
    run(root, root.dense, [100, numbers, roots, record], 1)
    assert record[0] == 6 and roots[5] == 2
    record[0] = 0
    run(root, root.dense, [100, numbers, roots, record], 1)
    assert record[0] == 8


HUBER = Program(
    "huber", 2, (0.5,),
    (Instruction("sub", (0, 1)), Instruction("abs", (3,)), Instruction("mul", (4, 4)), Instruction("mul", (5, 2)),
     Instruction("sub", (4, 2)), Instruction("le", (4, 2)), Instruction("where", (8, 6, 7))),
    (9,),
)  # fmt: skip


@pytest.mark.parametrize("code", [FLOAT32, FLOAT64])
@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_folded_kernels(code, reduction, monkeypatch):
    """Compare with the CPU's fold, in each order of threads, and twice with the same scratch memory."""
    program, count = HUBER._replace(reduction=reduction), 10007
    kernels = generate(program, (code, code), (code,))
    x, y = (np.random.default_rng(seed).standard_normal(count).astype(f"f{SIZES[code]}") for seed in (1, 2))
    layout, single = contiguous((count,), dtype_of_code(code)), contiguous((), dtype_of_code(code))
    want = np.zeros(1, x.dtype)
    BACKEND.plan(program, (layout, layout), (single,), ()).launch(1, x.ctypes.data, y.ctypes.data, want.ctypes.data)
    scratch, results = np.zeros(4096, np.uint64), []
    nest = nest_of((count, [x.itemsize, x.itemsize, 0]))
    for order in (*ORDERS, "forward"):
        monkeypatch.setenv("FACULA_SHIM_ORDER", order)
        result = np.zeros(1, x.dtype)
        run(kernels, kernels.folded, [1, x, y, result, scratch, count, *nest], folded_blocks(count))
        results.append(result[0])
    assert len(set(results)) == 1
    assert abs(results[0] - want[0]) <= np.spacing(want[0])
    assert not scratch[:2].any()


def test_programs_give_the_bits_of_the_cpu():
    """Compare a program with a power of a constant exponent, for halves, which it rounds at the end."""
    powers = (Instruction("pow", (0, 2)), Instruction("pow", (4, 3)))
    program = Program(
        "p", 2, (2.0, 0.5), (*powers, Instruction("add_scaled", (5, 1, 3)), Instruction("tanh", (6,))), (7,)
    )
    for code in (FLOAT16, FLOAT32, FLOAT64):
        kernels = generate(program, (code, code), (code,))
        arrays = [operand(code, place, COUNT) for place in (0, 1)]
        want, result = wanted((program, (code, code), (code,)), arrays, []), np.zeros(COUNT, storage(code))
        run(kernels, kernels.dense, [COUNT, *arrays, result], -(-COUNT // (THREADS * kernels.vector)))
        assert ((want == result) | (is_nan(code, want) & is_nan(code, result))).all()


def test_what_has_no_kernel():
    """Check an unknown operator, and means of halves."""
    assert generate("no_such_operator", (FLOAT32,), (FLOAT32,)) is None
    assert generate(HUBER._replace(reduction="mean"), (FLOAT16, FLOAT16), (FLOAT16,)) is None
