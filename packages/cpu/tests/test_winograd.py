"""Convolutions by Winograd's algorithm against float64, and the choice between algorithms."""

import os
import subprocess
import sys

import numpy as np
import pytest
from convolution_reference import expect, expect_gradients, run_all
from kernel_helpers import BACKEND, compute, layout

from facula_cpu import get_convolution_algorithm, get_num_threads, set_convolution_algorithm, set_num_threads
from facula_errors.testing import raises
from facula_storage import contiguous, float32

EPSILON = 2.0**-23
# images, groups, channels and filters of a group, height, width, taps, padding
CASES = {
    "square": (2, 1, 64, 64, 12, 12, 3, (1, 1)),
    "odd channels": (2, 1, 33, 40, 13, 9, 3, (0, 2)),
    "groups": (1, 2, 48, 70, 7, 7, 3, (1, 1)),
    "wide": (3, 1, 40, 33, 6, 30, 3, (2, 0)),
    "very wide": (1, 1, 32, 32, 3, 170, 3, (1, 1)),
    "three pixels": (2, 1, 32, 48, 3, 3, 3, (1, 1)),
    "5 x 5": (2, 1, 32, 64, 11, 7, 5, (2, 2)),
    "5 x 5 in groups": (1, 2, 35, 33, 9, 10, 5, (0, 1)),
    "one vector of channels": (3, 1, 16, 17, 14, 11, 3, (1, 1)),
    "5 x 5 of few channels": (2, 2, 19, 16, 10, 6, 5, (2, 2)),
    "few tiles, many weights": (2, 1, 140, 260, 7, 7, 3, (1, 1)),
}


def operands(images, groups, channels, filters, height, width, taps, padding):
    """Return images, weights, a bias and a gradient of the results, and the operators' parameters without the size."""
    rng = np.random.default_rng(height * width)
    size = (height + 2 * padding[0] - taps + 1, width + 2 * padding[1] - taps + 1)
    x = rng.standard_normal((images, groups * channels, height, width), "f4")
    w = rng.standard_normal((groups * filters, channels, taps, taps), "f4")
    bias, g = rng.standard_normal(len(w), "f4"), rng.standard_normal((images, len(w), *size), "f4")
    return x, w, bias, g, ((1, 1), padding, (1, 1), groups)


def check(made, wanted, terms):
    """Compare with sums of so many terms: rounding errors add up like a random walk. Those of some taps are larger."""
    size, error = np.sqrt((wanted**2).mean()), made - wanted
    assert np.sqrt((error**2).mean()) <= EPSILON * np.sqrt(terms) * size
    assert abs(error).max() <= 12 * EPSILON * np.sqrt(terms) * size


def check_all(made, x, w, bias, g, parameters):
    """Compare results and gradients with their definition in float64."""
    x, w, bias, g = (one.astype("f8") for one in (x, w, bias, g))
    results = expect(x, w, g.shape[2:], *parameters) + bias[:, None, None]
    area, groups = w.shape[2] * w.shape[3], parameters[3]
    terms = (w.shape[1] * area, w.shape[0] // groups * area, g.shape[0] * g.shape[2] * g.shape[3])
    for one, wanted, count in zip(made, (results, *expect_gradients(x, w, g, *parameters)), terms, strict=True):
        check(one, wanted, count)


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize("case", CASES)
def test_results_and_gradients(case):
    """Check both algorithms at each level, with several numbers of threads, and that they are two."""
    *arrays, parameters = operands(*CASES[case])
    fast, direct = (run_all(*arrays, parameters, name) for name in ("fast", "direct"))
    check_all(fast, *arrays, parameters)
    check_all(direct, *arrays, parameters)
    assert not any((one == other).all() for one, other in zip(fast, direct, strict=True))


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize("case", CASES)
def test_results_of_an_image_do_not_depend_on_the_others(case):
    """Check this also where more images lead to another order of work, as for the last case."""
    x, w, bias, g, parameters = operands(35, *CASES[case][1:])
    whole = run_all(x, w, bias, g, parameters, "fast")
    for place in (0, 17, 34):
        alone = run_all(x[[place]], w, bias, g[[place]], parameters, "fast")
        for one, other in zip(alone[:2], whole[:2], strict=True):
            assert one.tobytes() == other[place].tobytes()


def test_large_weights_are_transformed_in_parts():
    """Check weights that would need more than 40 MB: results of a filter do not depend on the others."""
    x, w, bias, g, parameters = operands(27, 1, 512, 600, 7, 7, 3, (1, 1))
    whole, part = (
        compute("conv2d", [x, w[:count], bias[:count]], (np.empty_like(g[:, :count]),), (*parameters, (7, 7), "fast"))
        for count in (600, 288)
    )
    assert whole[:, :288].tobytes() == part.tobytes()
    gradient, wanted = (
        compute("conv2d_weight", [g[:1].astype(kind), x[:1].astype(kind)], (w.astype(kind),), (*parameters, (3, 3)))
        for kind in ("f4", "f8")
    )
    check(gradient, wanted, 49)


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize(
    ("channels", "filters", "size"), [(8192, 8192, 7), (8192, 32, 56), (16, 8192, 3), (512, 512, 28), (64, 64, 2000)]
)
def test_the_workspace_is_bounded(channels, filters, size):
    """Check plans for 1 and 256 threads: at most 64 MiB."""
    shapes = (8, channels, size, size), (filters, channels, 3, 3), (8, filters, size, size)
    images, weights, results = (contiguous(shape, float32) for shape in shapes)
    parameters, before = ((1, 1), (1, 1), (1, 1), 1), get_num_threads()
    try:
        for threads in (1, 256):
            set_num_threads(threads)
            for operator, inputs, output in (
                ("conv2d", (images, weights, None), results),
                ("conv2d_input", (results, weights), images),
                ("conv2d_weight", (results, images), weights),
            ):
                plan = BACKEND.plan(operator, inputs, (output,), (*parameters, output.shape[2:], "fast"))
                assert plan.request[2][-1] == "fast"
                assert 0 < plan.workspace <= 64 << 20
    finally:
        set_num_threads(before)


def test_infinity_and_nan_reach_their_tiles():
    """Check that other tiles are finite, and equal to those without."""
    x, w, bias, g, parameters = operands(1, 1, 32, 32, 16, 16, 3, (1, 1))
    before = run_all(x, w, bias, g, parameters, "fast")[0]
    for number in (np.inf, np.nan):
        x[0, 3, 5, 6] = number  # in the middle of a tile: no other tile depends on it
        made = run_all(x, w, bias, g, parameters, "fast")[0]
        assert np.isnan(made[:, :, 4:8, 4:8]).all()
        made[:, :, 4:8, 4:8] = before[:, :, 4:8, 4:8]
        assert made.tobytes() == before.tobytes()


# Geometries that have one algorithm.
DIRECT = {
    "few channels": (2, 1, 15, 64, 12, 12, 3, (1, 1)),
    "few filters": (2, 1, 64, 15, 12, 12, 3, (1, 1)),
    "small images": (9, 1, 64, 64, 5, 5, 3, (1, 1)),
    "1 x 1": (2, 1, 64, 64, 12, 12, 1, (0, 0)),
}


@pytest.mark.parametrize("case", DIRECT)
def test_other_geometries_are_direct(case):
    *arrays, parameters = operands(*DIRECT[case])
    fast, direct = (run_all(*arrays, parameters, name) for name in ("fast", "direct"))
    assert all(one.tobytes() == other.tobytes() for one, other in zip(fast, direct, strict=True))


def request(x, w, g, parameters):
    """Return the parameters of a plan's request."""
    inputs = (layout(x), layout(w), None)
    return BACKEND.plan("conv2d", inputs, (layout(g),), (*parameters, g.shape[2:])).request[2]


def test_the_setting_selects_the_algorithm_of_new_plans():
    x, w, bias, g, parameters = operands(*CASES["square"])
    before = get_convolution_algorithm()
    try:
        for name in ("direct", "fast"):
            set_convolution_algorithm(name)
            assert get_convolution_algorithm() == name
            assert request(x, w, g, parameters)[-1] == name
            made, wanted = (run_all(x, w, bias, g, parameters, *given) for given in ((), (name,)))
            assert all(one.tobytes() == other.tobytes() for one, other in zip(made, wanted, strict=True))
        assert len(request(x, w[:15], np.empty((2, 15, 12, 12), "f4"), parameters)) == 5
    finally:
        set_convolution_algorithm(before)


def test_other_names_are_refused():
    with raises(
        ValueError, "set_convolution_algorithm", "expected algorithm to be one of fast, direct", value="'winograd'"
    ):
        set_convolution_algorithm("winograd")
    x, w, bias, g, parameters = operands(*CASES["square"])
    with raises(ValueError, "conv2d", "expected algorithm to be one of fast, direct", value="'quick'"):
        compute("conv2d", [x, w, bias], (g,), (*parameters, g.shape[2:], "quick"))


@pytest.mark.parametrize(("value", "wanted"), [("direct", "direct"), ("fast", "fast"), ("", "fast"), ("slow", None)])
def test_the_environment_variable(value, wanted):
    code = "import facula_cpu; print(facula_cpu.get_convolution_algorithm())"
    environment = {**os.environ, "FACULA_CPU_CONVOLUTION": value}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=600)
    if wanted:
        assert done.stdout.strip() == wanted
    else:
        assert "environment variable FACULA_CPU_CONVOLUTION to be one of fast, direct; got 'slow'" in done.stderr
