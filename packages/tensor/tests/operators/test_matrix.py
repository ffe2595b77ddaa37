"""Every case of `cases/` through every check of the matrix; and every public operator has a case."""

import re
import warnings

import elements
import numpy as np
import pytest
from cases import CASES, EVERY
from elements import call, compare, make, reference
from hypothesis import given
from hypothesis import strategies as st

import facula_tensor as ft
from facula_tensor import fft, functional, linalg, special
from facula_tensor.testing._matrix import applicable, run_check

# Their batches are computed one element at a time.
IN_A_LOOP = {"embedding(scale_grad_by_freq=True)", "operator recurrent_grad"}


def checks():
    """Yield each case with each check that it must pass."""
    for case in EVERY:
        for name in applicable(case):
            yield pytest.param(case, name, id=f"{case}-{name}")


@pytest.mark.parametrize(("case", "check"), list(checks()))
def test_matrix(case, check):
    with warnings.catch_warnings():
        if case.name not in IN_A_LOOP:
            warnings.filterwarnings("error", ".*vmap runs it once")
        run_check(case, check)


# Functions that are not operators on the elements of their operands and so have no samples; each has its own test.
MAKES_TENSORS = """
    arange as_tensor asarray empty empty_like empty_permuted empty_strided eye from_dlpack from_file from_numpy
    frombuffer full full_like linspace logspace ones ones_like range scalar_tensor tensor to_dlpack tril_indices
    triu_indices zeros zeros_like fftfreq rfftfreq
"""
DRAWS = """
    bernoulli binomial gumbel_softmax multinomial normal poisson rand rand_like randint randint_like randn randn_like
    randperm
"""
CHANGES_ALONE = "as_strided_ detach_ resize_as_"
TAKES_FUNCTIONS = "fuse"
ANSWERS_IN_PYTHON = """
    allclose broadcast_shapes can_cast equal get_default_device get_default_dtype get_device get_printoptions
    get_rng_state initial_seed is_complex is_conj is_floating_point is_inference is_neg is_nonzero is_same_size
    is_signed is_storage is_tensor manual_seed numel promote_types result_type seed set_default_device
    set_default_dtype set_printoptions set_rng_state typename
"""
WITHOUT_SAMPLES = f"{MAKES_TENSORS} {DRAWS} {CHANGES_ALONE} {TAKES_FUNCTIONS} {ANSWERS_IN_PYTHON}".split()
MODULES = (ft, functional, linalg, fft, special)


def public_functions():
    """Return the names of public functions, each with its function."""
    for module in MODULES:
        for name in module.__all__:
            value = getattr(module, name)
            if callable(value) and not isinstance(value, type):
                yield name, value


def without_samples(cases):
    """Return the names of public functions without a case under any of their names, in-place forms included."""
    sampled = set()
    for case in cases:
        name = re.match(r"(?:\w+\.)*(\w+)", case.name)[1]
        sampled.add(name)
        if case.inplace:
            sampled.add(case.inplace if isinstance(case.inplace, str) else f"{name}_")
    functions = {value for name, value in public_functions() if name in sampled}
    return sorted({name for name, value in public_functions() if name not in sampled and value not in functions})


def test_every_public_operator_has_samples():
    missing = set(without_samples(EVERY)) - set(WITHOUT_SAMPLES)
    assert not missing, f"without a case in cases/: {', '.join(sorted(missing))}"
    assert sorted(set(WITHOUT_SAMPLES) - set(without_samples(EVERY))) == []  # and none of these has samples


def test_an_operator_without_samples_is_named():
    named = set(without_samples([case for case in EVERY if case.name != "atanh"])) - set(WITHOUT_SAMPLES)
    assert named == {"atanh", "arctanh", "atanh_", "arctanh_"}


@st.composite
def arrays(draw, case, dtype, shape):
    """Generate elements in a random layout: some dimensions permuted, sliced with a step, or expanded."""
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    order = draw(st.permutations(range(len(shape))))
    steps = [draw(st.integers(1, 3)) for _ in shape]
    repeated = [draw(st.booleans()) and draw(st.booleans()) for _ in shape]
    wide = [1 if repeated[i] else shape[i] * steps[i] + draw(st.integers(0, 1)) for i in order]
    base = elements.draw(rng, tuple(wide), dtype, case)
    tensor, values = make(base, dtype), base
    back = [order.index(i) for i in range(len(shape))]
    tensor, values = tensor.permute(back) if shape else tensor, values.transpose(back)
    index = tuple(
        slice(None) if repeats else slice(0, size * step, step)
        for repeats, size, step in zip(repeated, shape, steps, strict=True)
    )
    return tensor[index].expand(shape), np.broadcast_to(values[index], shape)


@pytest.mark.parametrize("case", [case for case in CASES if case.elementwise], ids=str)
@given(data=st.data())
def test_random_operands(case, data):
    dtype = data.draw(st.sampled_from(case.dtypes))
    shape = tuple(data.draw(st.lists(st.integers(0, 5), max_size=4)))
    pairs = []
    for _ in range(case.arity):
        mine = tuple(
            1 if size > 1 and data.draw(st.booleans()) else size
            for size in shape[data.draw(st.integers(0, len(shape))) :]
        )
        pairs.append(data.draw(arrays(case, dtype, mine)))
    got = call(case, [tensor for tensor, _ in pairs])
    compare(case, got, reference(case, [values for _, values in pairs], dtype), dtype, f"random {shape}")
