"""Draws depend only on seed, offset and element number; states; approximate statistics."""

import copy
import pickle

import numpy as np
import pytest
from elements import values_of

import facula_tensor as ft
from facula_cpu import get_num_threads, set_num_threads
from facula_errors.testing import raises
from facula_tensor.extend.sampling import state_pair

DRAWS = {
    "rand": lambda n, g: ft.rand(n, generator=g),
    "randn": lambda n, g: ft.randn(n, generator=g),
    "rand float64": lambda n, g: ft.rand(n, generator=g, dtype=ft.float64),
    "randn bfloat16": lambda n, g: ft.randn(n, generator=g, dtype=ft.bfloat16),
    "randint": lambda n, g: ft.randint(-5, 17, (n,), generator=g),
    "randint int8": lambda n, g: ft.randint(-5, 17, (n,), generator=g, dtype=ft.int8),
    "uniform_": lambda n, g: ft.empty(n).uniform_(2, 3, generator=g),
    "normal_": lambda n, g: ft.empty(n).normal_(2, 3, generator=g),
    "bernoulli": lambda n, g: ft.bernoulli(ft.full((n,), 0.3), generator=g),
    "randperm": lambda n, g: ft.randperm(n, generator=g),
}


def seeded(seed=7):
    return ft.Generator().manual_seed(seed)


@pytest.mark.parametrize("name", DRAWS)
def test_equal_seeds_give_equal_numbers(name):
    draw = DRAWS[name]
    first, again, other = draw(100, seeded()), draw(100, seeded()), draw(100, seeded(8))
    assert np.array_equal(values_of(first), values_of(again))
    assert not np.array_equal(values_of(first), values_of(other))


@pytest.mark.parametrize("name", DRAWS)
def test_a_draw_advances_the_generator_by_its_elements(name):
    generator = seeded()
    first = values_of(DRAWS[name](64, generator))
    assert state_pair(generator) == (7, 64)
    assert not np.array_equal(first, values_of(DRAWS[name](64, generator)))
    assert np.array_equal(first, values_of(DRAWS[name](64, generator.set_state((7, 0)))))


def test_a_longer_draw_begins_like_a_shorter_one():
    assert ft.rand(100, generator=seeded()).tolist()[:37] == ft.rand(37, generator=seeded()).tolist()


@pytest.mark.parametrize("name", DRAWS)
def test_draws_do_not_depend_on_threads(name):
    before = get_num_threads()
    try:
        set_num_threads(1)
        one = values_of(DRAWS[name](300_000, seeded()))
        set_num_threads(2)
        assert np.array_equal(one, values_of(DRAWS[name](300_000, seeded())))
    finally:
        set_num_threads(before)


def test_draws_do_not_depend_on_strides():
    plain = ft.empty(4, 6).normal_(generator=seeded())
    turned = ft.empty(6, 4).t().normal_(generator=seeded())
    sliced = ft.empty(8, 12)[::2, ::2].normal_(generator=seeded())
    assert np.array_equal(values_of(plain), values_of(turned))
    assert np.array_equal(values_of(plain), values_of(sliced))


def test_draws_do_not_depend_on_the_shape():
    assert ft.rand(2, 3, generator=seeded()).flatten().tolist() == ft.rand(6, generator=seeded()).tolist()


def test_reading_a_tensor_does_not_change_later_draws():
    ft.manual_seed(3)
    a = ft.rand(4)
    expected = ft.rand(4).tolist()
    ft.manual_seed(3)
    repr(ft.rand(4)), a.sum(), a.clone()
    assert ft.rand(4).tolist() == expected


def test_state():
    ft.manual_seed(11)
    ft.rand(5)
    state = ft.get_rng_state()
    expected = ft.randn(7).tolist()
    ft.set_rng_state(state)
    assert ft.randn(7).tolist() == expected
    assert ft.initial_seed() == 11
    generator = seeded()
    generator.set_state(state)
    assert ft.randn(7, generator=generator).tolist() == expected


def test_seeds():
    assert ft.Generator().manual_seed(-1).initial_seed() == (1 << 64) - 1
    assert ft.rand(3, generator=seeded(-1)).tolist() == ft.rand(3, generator=seeded((1 << 64) - 1)).tolist()
    with raises(ValueError, "manual_seed", "64-bit"):
        ft.manual_seed(1 << 64)
    assert ft.Generator().seed() != ft.Generator().seed()


def test_statistics():
    n = 200_000
    generator = seeded(1)
    uniform = values_of(ft.rand(n, generator=generator))
    assert 0 <= uniform.min() < uniform.max() < 1
    assert abs(uniform.mean() - 0.5) < 0.005
    assert abs(uniform.var() - 1 / 12) < 0.002
    normal = values_of(ft.randn(n, generator=generator, dtype=ft.float64))
    assert abs(normal.mean()) < 0.01
    assert abs(normal.std() - 1) < 0.01
    assert abs((normal**3).mean()) < 0.05
    assert abs((normal**4).mean() - 3) < 0.1
    assert abs(np.corrcoef(normal[:-1], normal[1:])[0, 1]) < 0.01
    whole = values_of(ft.randint(-2, 3, (n,), generator=generator))
    assert np.allclose(np.bincount(whole + 2) / n, 0.2, atol=0.01)
    assert abs(values_of(ft.bernoulli(ft.full((n,), 0.3), generator=generator)).mean() - 0.3) < 0.01


COMPLEX = {
    "randn": (lambda n, g: ft.randn(n, dtype=ft.complex64, generator=g), 0, 0.5),
    "randn_like": (lambda n, g: ft.randn_like(ft.zeros(n, dtype=ft.complex128), generator=g), 0, 0.5),
    "rand": (lambda n, g: ft.rand(n, dtype=ft.complex64, generator=g), 0.5, 1 / 12),
    "normal_": (lambda n, g: ft.zeros(n, dtype=ft.complex64).normal_(2, 3, generator=g), 2, 4.5),
    "normal_ strided": (lambda n, g: ft.zeros(n, 2, dtype=ft.complex64)[:, 1].normal_(2, 3, generator=g), 2, 4.5),
    "uniform_": (lambda n, g: ft.zeros(n, dtype=ft.complex64).uniform_(2, 3, generator=g), 2.5, 1 / 12),
    "normal": (lambda n, g: ft.normal(1, 2, (n,), dtype=ft.complex64, generator=g), 1, 2),
    "normal of means": (lambda n, g: ft.normal(ft.zeros(n, dtype=ft.complex64), 2.0, generator=g), 0, 2),
}


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_draws_have_independent_parts(name):
    draw, mean, variance = COMPLEX[name]
    drawn = values_of(draw(100_000, seeded(1)))
    for part in (drawn.real, drawn.imag):
        assert abs(part.mean() - mean) < 0.02
        assert abs(part.var() - variance) < 0.02 * (1 + variance)
    assert abs(np.corrcoef(drawn.real, drawn.imag)[0, 1]) < 0.02


def test_half_precisions_stay_below_one():
    for dtype in (ft.float16, ft.bfloat16):
        drawn = values_of(ft.rand(100_000, dtype=dtype, generator=seeded()))
        assert 0 <= drawn.min()
        assert drawn.max() < 1


def test_bounds():
    drawn = values_of(ft.empty(10_000).uniform_(-3, -1, generator=seeded()))
    assert -3 <= drawn.min() < drawn.max() < -1
    assert set(ft.randint(5, (1000,), generator=seeded()).tolist()) == {0, 1, 2, 3, 4}
    assert sorted(ft.randperm(50, generator=seeded()).tolist()) == list(range(50))


def test_states_are_bytes():
    """Check that programs can store a state as a tensor, and that states of PyTorch's CPU generator are seeds."""
    generator = seeded()
    ft.rand(5, generator=generator)
    state = generator.get_state()
    assert state.dtype is ft.uint8 and state.device == ft.device("cpu") and state.shape == (16,)
    assert state.tolist() == [7, *[0] * 7, 5, *[0] * 7] and state.requires_grad is False
    expected = ft.rand(4, generator=generator).tolist()
    strided = ft.stack([state, state], 1)[:, 0]
    for given in (state, state.clone(), strided, copy.deepcopy(state), pickle.loads(pickle.dumps(state)), (7, 5)):
        assert ft.rand(4, generator=generator.set_state(given)).tolist() == expected
    state.zero_()
    assert state_pair(generator) == (7, 9), "a state shares no memory with its generator"
    found = set()
    for first in (0, 1):
        foreign = ft.full((5056,), first, dtype=ft.uint8)
        seed, drawn = state_pair(seeded().set_state(foreign))
        assert drawn == 0 and (seed, drawn) == state_pair(seeded().set_state(foreign.clone()))
        found.add(seed)
    assert len(found) == 2
    ends = ft.full((16,), 255, dtype=ft.uint8)
    for wrong in (ends, ft.zeros(15, dtype=ft.uint8), ft.zeros(16), (1, True), (1,), (-1, 0), (1 << 64, 0), "7", None):
        with raises(TypeError, "set_state", "call manual_seed"):
            generator.set_state(wrong)
    assert state_pair(generator) == (7, 9)


def test_a_failed_draw_does_not_advance_the_generator():
    ft.manual_seed(0)
    state = ft.get_rng_state()
    for action in (
        lambda: ft.rand(2, dtype=ft.int64),
        lambda: ft.randint(3, 1, (2,)),
        lambda: ft.arange(3).normal_(),
        lambda: ft.zeros(2, requires_grad=True).uniform_(),
        lambda: ft.zeros(1).expand(3).uniform_(),
    ):
        with pytest.raises((TypeError, ValueError, RuntimeError)):
            action()
    assert ft.equal(ft.get_rng_state(), state)


def test_states_wrap_around_to_zero():
    last = (1 << 63) - 1
    for name, draw in DRAWS.items():
        ends = seeded().set_state((2**64 - 5, last - 1))
        draw(64, ends)
        assert state_pair(ends) == (2**64 - 5, 62), name
        assert ends.initial_seed() == 2**64 - 5
        goes_on = values_of(draw(64, ends))
        assert np.array_equal(goes_on, values_of(draw(64, seeded().set_state((2**64 - 5, 62))))), name
    before = ft.get_rng_state()
    try:  # the default generator, which small draws advance without a call
        ft.set_rng_state((3, last - 1))
        first, second = ft.rand(4).tolist(), ft.randn(4).tolist()
        assert state_pair(ft.default_generator) == (3, 6)
        assert first == ft.rand(4, generator=seeded().set_state((3, last - 1))).tolist()
        assert second == ft.randn(4, generator=seeded().set_state((3, 2))).tolist()
    finally:
        ft.set_rng_state(before)


def test_the_default_generator_draws_the_same_numbers_as_others():
    like = ft.empty(4, 4)
    for draw in (
        lambda g: ft.rand(4, 4, generator=g),
        lambda g: ft.rand_like(like, generator=g),
        lambda g: ft.randn_like(like, generator=g, dtype=ft.float64),
        lambda g: ft.randint(-3, 9, (4, 4), generator=g),
        lambda g: ft.randint(9, (4, 4), generator=g, dtype=ft.uint8),
        lambda g: like.uniform_(-2, 3, generator=g),
        lambda g: like[1:3, ::2].normal_(generator=g),
    ):
        expected = draw(seeded()).tolist()
        for _ in range(2):  # the second call takes the fast path
            ft.manual_seed(7)
            assert draw(None).tolist() == expected


def test_drawing_counts_as_a_change():
    x = ft.zeros(3)
    x.uniform_()
    assert x._version == 1
    x.random_(0, 5)
    assert x._version == 2


def test_no_gradient_flows_through_bernoulli():
    p = ft.tensor([0.0, 1.0, 0.5], requires_grad=True)
    ft.bernoulli(p).sum().backward()
    assert p.grad.tolist() == [0.0, 0.0, 0.0]


def test_meta_draws_have_a_shape():
    assert ft.rand(2, 3, device="meta").shape == (2, 3)
    assert ft.randint(3, (2,), device="meta").dtype is ft.int64


WEIGHTS = [1.0, 0.0, 3.0, 6.0]


def test_categories_are_drawn_by_their_weights():
    ft.manual_seed(0)
    weights = ft.tensor(WEIGHTS)
    drawn = ft.multinomial(weights, 20_000, replacement=True)
    assert drawn.dtype is ft.int64
    np.testing.assert_allclose(np.bincount(drawn.numpy(), minlength=4) / 20_000, np.array(WEIGHTS) / 10, atol=0.02)
    rows = weights.expand(20_000, 4).multinomial(2).numpy()
    np.testing.assert_allclose(np.bincount(rows[:, 0], minlength=4) / 20_000, np.array(WEIGHTS) / 10, atol=0.02)
    assert (rows[:, 0] != rows[:, 1]).all() and not (rows == 1).any()
    after_last = rows[rows[:, 0] == 3][:, 1]  # the others share the remaining probability
    np.testing.assert_allclose((after_last == 2).mean(), 0.75, atol=0.02)


def test_draws_with_replacement_from_one_row_and_from_several():
    assert ft.tensor([0.0, 0.0, 1.0]).multinomial(4, replacement=True).tolist() == [2, 2, 2, 2]
    assert ft.eye(3).multinomial(2, replacement=True).tolist() == [[0, 0], [1, 1], [2, 2]]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("replacement", [False, True])
def test_categories_of_weight_zero_are_never_drawn(dtype, replacement):
    weights = ft.zeros(5, 8, dtype=getattr(ft, dtype))
    weights[:, 2::3] = 1
    out = ft.empty(5, 2, dtype=ft.int64)
    generator = ft.Generator().manual_seed(3)
    assert ft.multinomial(weights, 2, replacement, generator=generator, out=out) is out
    assert ((out == 2) | (out == 5)).all()


@pytest.mark.parametrize(
    ("weights", "count", "text"),
    [
        (WEIGHTS, 4, "at least 4 weight"),
        (WEIGHTS, 5, "at most the 4 categories without replacement; got 5"),
        (WEIGHTS, 0, "num_samples of at least 1"),
        ([1.0, -1.0], 1, "got -1.0 at [1]"),
        ([[1.0, float("inf")]], 1, "got inf at [0, 1]"),
        ([[1.0, 1.0], [0.0, 0.0]], 1, "in row 1"),
        (1.0, 1, "got shape ()"),
    ],
)
def test_invalid_weights_are_rejected(weights, count, text):
    with raises(ValueError, "multinomial", text):
        ft.multinomial(ft.tensor(weights), count)
