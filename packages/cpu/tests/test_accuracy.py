"""Note [Own polynomials]: errors in units in the last place, over the whole range of float32 and samples of float64."""

import numpy as np
import pytest
from launching import run

FUNCTIONS = {
    "exp": (np.exp, 1.1),
    "log": (np.log, 1.0),
    "tanh": (np.tanh, 1.5),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), 2.0),
    "log1p": (np.log1p, 1.5),
    "expm1": (np.expm1, 1.7),
}


def units(got, exact):
    """Distance from the exact result in units in the last place of float32 (for subnormal numbers, of the smallest)."""
    size = np.abs(exact)
    exponent = np.maximum(np.floor(np.log2(np.where(size > 0, size, 1e-300))), -126)
    ordinary = np.isfinite(exact) & (size <= np.finfo("f4").max)
    return np.where(ordinary, np.abs(got - exact) / 2.0 ** (exponent - 23), 0)


@pytest.mark.parametrize("operator", list(FUNCTIONS))
def test_error_bound(operator, level):
    """A bit pattern in 4099 from all of float32: NaN and infinity where they belong, the rest within the bound."""
    function, bound = FUNCTIONS[operator]
    x = np.arange(0, 2**32, 4099, dtype=np.uint64).astype(np.uint32).view(np.float32)
    x = np.concatenate([x, np.linspace(-20, 20, 100_001, dtype="f4")])
    with np.errstate(all="ignore"):
        exact = function(x.astype("f8"))
        rounded = exact.astype("f4")
    got = run(operator, x)
    np.testing.assert_array_equal(np.isnan(got), np.isnan(exact))
    np.testing.assert_array_equal(np.isinf(got), np.isinf(rounded))
    with np.errstate(all="ignore"):
        errors = units(got.astype("f8"), exact)
    assert errors.max() < bound, f"{errors.max()} at {x[errors.argmax()]}"


@pytest.mark.parametrize("operator", list(FUNCTIONS))
def test_float64_beside_extended_precision(operator, level):
    """float64 against NumPy's extended precision where the machine has it (64 bits of significand on x86)."""
    function, bound = FUNCTIONS[operator]
    if np.finfo(np.longdouble).nmant < 63:
        pytest.skip("no extended precision on this machine")
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.standard_normal(50_000) * 10.0 ** rng.integers(-8, 3, 50_000),
                        rng.integers(0, 2**63, 50_000, dtype="u8").view("f8"), rng.uniform(-1, 3, 50_000),
                        rng.uniform(-746, 710, 20_000), [5e-324, 1e-310, 0.0, np.inf, -np.inf, np.nan]])  # fmt: skip
    with np.errstate(all="ignore"):
        exact = function(x.astype(np.longdouble))
        rounded = exact.astype("f8")
        got = run(operator, x)
        np.testing.assert_array_equal(np.isnan(got), np.isnan(rounded))
        np.testing.assert_array_equal(np.isinf(got), np.isinf(rounded))
        ordinary = np.isfinite(rounded) & np.isfinite(exact)
        step = np.spacing(np.abs(rounded[ordinary]))
        errors = np.abs(got[ordinary] - exact[ordinary]) / step
    assert errors.max() < 2 * bound, f"{errors.max()} at {x[ordinary][errors.argmax()]}"


def test_levels_with_fused_multiply_add_agree(level):
    """AVX2 and AVX-512 give the same bits; results for one element do not depend on where it stands."""
    x = np.random.default_rng(0).standard_normal(1003).astype("f4") * 4
    for operator in FUNCTIONS:
        whole = run(operator, x)
        single = np.array([run(operator, x[i : i + 1])[0] for i in range(0, 1003, 50)])
        np.testing.assert_array_equal(whole[::50], single)
        if level == "baseline":
            continue
        before = _seen.setdefault(operator, whole.tobytes())
        assert whole.tobytes() == before


_seen: dict[str, bytes] = {}
