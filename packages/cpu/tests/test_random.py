"""Random operators: the published test vectors, distributions, and independence of thread counts and sizes."""

import numpy as np
import pytest
from kernel_helpers import BACKEND, FLOATS, INTEGERS, NAMES, empty, layout, widen

from facula_cpu import get_num_threads, set_num_threads
from facula_errors.testing import raises


def draw(operator, size, name, *parameters, seed=1, offset=2):
    """Return one draw of this dtype."""
    out = empty((size,), name)
    BACKEND.plan(operator, (), (layout(out),), ()).launch(size, out.ctypes.data, seed, offset, *parameters)
    return out


def signed(number):
    """Return the int64 with the bits of an unsigned number."""
    return number - (1 << 64) if number >> 63 else number


# Counter, key and result words of philox4x32-10 from the Random123 distribution, kat_vectors.
KNOWN = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]


@pytest.mark.parametrize(("counter", "key", "result"), KNOWN)
def test_philox_returns_the_published_vectors(counter, key, result, level):
    """Check the construction: the counter is block and offset, the key is the seed."""
    c, k, words = ([int(word, 16) for word in text.split()] for text in (counter, key, result))
    block, offset, seed = (signed(low | high << 32) for low, high in ((c[0], c[1]), (c[2], c[3]), (k[0], k[1])))
    got = draw("philox", 4, "int32", block, seed=seed, offset=offset)
    assert got.view("u4").tolist() == words
    first = (1 << 32) - 7  # a long draw, in which the upper word changes
    singly = [draw("philox", 4, "int32", first + i, seed=seed, offset=offset) for i in range(300)]
    assert (draw("philox", 1200, "int32", first, seed=seed, offset=offset) == np.concatenate(singly)).all()


DRAWS = [
    *(("uniform", name, (-1.0, 3.0)) for name in FLOATS),
    *(("normal", name, (1.0, 2.0)) for name in FLOATS),
    *(("randint", name, (-5, 7) if name != "uint8" else (3, 200)) for name in INTEGERS),
    *(("bernoulli", name, (0.3,)) for name in NAMES[:10]),
]


@pytest.mark.parametrize(("operator", "name", "parameters"), DRAWS)
def test_an_element_depends_only_on_its_index(operator, name, parameters):
    """Check that each size is a prefix of a longer draw on one thread and on two, and that seed and offset matter."""
    before = get_num_threads()
    set_num_threads(2)
    try:
        long = draw(operator, 60_001, name, *parameters)
        set_num_threads(1)
        assert draw(operator, 60_001, name, *parameters).tobytes() == long.tobytes()
        for size in (0, 1, 2, 3, 5, 511, 513, 1027):
            assert draw(operator, size, name, *parameters).tobytes() == long[:size].tobytes()
    finally:
        set_num_threads(before)
    assert draw(operator, 1000, name, *parameters, seed=7).tobytes() != long[:1000].tobytes()
    assert draw(operator, 1000, name, *parameters, offset=7).tobytes() != long[:1000].tobytes()


@pytest.mark.parametrize("name", FLOATS)
def test_uniform(name, level):
    """Check [low, high): bounds, mean, variance, and equal frequencies of all ten tenths."""
    a = widen(draw("uniform", 200_000, name, -1.0, 3.0)).astype("f8")
    assert a.min() >= -1
    assert a.max() < 3
    assert abs(a.mean() - 1) < (0.02 if name == "bfloat16" else 0.01)  # 8 bits miss the top half step
    assert abs(a.var() - 16 / 12) < 0.01
    if name != "bfloat16":
        counts = np.histogram(a, 10, (-1, 3))[0]
        assert ((counts - 20_000) ** 2 / 20_000).sum() < 40
    tight = widen(draw("uniform", 10_000, name, 1.0, 1.0 + 2.0**-7))
    assert tight.max() < 1 + 2.0**-7
    assert (draw("uniform", 100, name, 2.0, 2.0) == draw("uniform", 1, name, 2.0, 2.0)[0]).all()


@pytest.mark.parametrize("name", FLOATS)
def test_normal(name, level):
    """Check four moments, the share beyond two deviations, and the independence of neighbours."""
    a = (widen(draw("normal", 200_000, name, 1.0, 2.0)).astype("f8") - 1) / 2
    assert abs(a.mean()) < 0.01
    assert abs(a.var() - 1) < 0.015
    assert abs((a**3).mean()) < 0.03
    assert abs((a**4).mean() - 3) < 0.08
    assert abs((np.abs(a) > 2).mean() - 0.0455) < 0.002
    for step in (1, 2, 4):
        assert abs((a[:-step] * a[step:]).mean()) < 0.01
    assert np.isfinite(a).all()


def test_normal_draws_of_all_levels_are_close(level):
    """Check equal random bits; functions of them may differ in the last place."""
    a = draw("normal", 5000, "float32", 0.0, 1.0)
    reference = _seen.setdefault("normal", a)
    np.testing.assert_allclose(a, reference, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(draw("uniform", 5000, "float32", 0.0, 1.0), _seen.setdefault(
        "uniform", draw("uniform", 5000, "float32", 0.0, 1.0)))  # fmt: skip


_seen: dict[str, np.ndarray] = {}


def test_randint():
    """Check equal frequencies of all integers, equal draws in every dtype, and the whole range of int64."""
    a = draw("randint", 120_000, "int64", -5, 7)
    counts = np.bincount(a + 5, minlength=12)
    assert len(counts) == 12
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 40
    for name in ("int8", "int16", "int32"):
        np.testing.assert_array_equal(draw("randint", 120_000, name, -5, 7), a)
    wide = draw("randint", 1000, "int64", -(2**63), 2**63 - 1)
    assert wide.min() < -(2**61)
    assert wide.max() > 2**61
    assert (draw("randint", 100, "int32", 4, 5) == 4).all()
    assert set(draw("randint", 100, "bool", 0, 2).tolist()) == {False, True}


@pytest.mark.parametrize("name", NAMES[:10])
def test_bernoulli(name):
    """Check the share of ones, and probabilities of 0 and 1."""
    assert abs(widen(draw("bernoulli", 100_000, name, 0.3)).astype("f8").mean() - 0.3) < 0.01
    assert (widen(draw("bernoulli", 1000, name, 1.0)).astype("f8") == 1).all()
    assert (widen(draw("bernoulli", 1000, name, 0.0)).astype("f8") == 0).all()


def test_dtypes_without_a_draw_are_refused():
    """Check that the error names the dtype."""
    with raises(NotImplementedError, "uniform", "int32"):
        draw("uniform", 1, "int32", 0.0, 1.0)


SAMPLES = {"standard_gamma": [0.7], "log_standard_gamma": [0.7], "poisson": [25.0], "binomial": [90.0, 0.4]}


@pytest.mark.parametrize("name", ["float32", "float64"])
@pytest.mark.parametrize("operator", SAMPLES)
def test_rejection_sampling_depends_only_on_the_index(operator, name):
    """Check different sizes, on one thread and on two."""
    numbers = SAMPLES[operator]

    def drawn(size, seed=1):
        given, out = [np.full(size, number, name) for number in numbers], empty((size,), name)
        plan = BACKEND.plan(operator, tuple(layout(one) for one in given), (layout(out),), ())
        plan.launch(size, *(one.ctypes.data for one in given), out.ctypes.data, seed, 2)
        return out

    before = get_num_threads()
    set_num_threads(2)
    try:
        long = drawn(3001)
        set_num_threads(1)
        assert drawn(3001).tobytes() == long.tobytes()
        for size in (0, 1, 63, 65, 1000):
            assert drawn(size).tobytes() == long[:size].tobytes()
    finally:
        set_num_threads(before)
    assert drawn(100, seed=7).tobytes() != long[:100].tobytes()
