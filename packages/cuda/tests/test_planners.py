"""Operators with kernels of their own: values against the CPU, orders of threads, wrong elements, missing barriers."""

import re
from itertools import chain

import numpy as np
import pytest
from compared import Array, run_both
from kernel_samples import (
    ORDERS,
    DriverError,
    Given,
    Memory,
    Sample,
    difference,
    empty,
    indices,
    layouts,
    modules_of,
    plan_of,
    run_on_cpu,
    run_on_device,
    values,
)
from line_samples import LINES, scans, sorts
from operator_samples import (
    batch_norms,
    class_losses,
    cosines,
    draws,
    elements,
    factored_steps,
    moves,
    norms,
    positions,
    rejections,
    slices,
    steps,
    triangles,
    unit_rows,
)
from sequence_samples import ATTENTION, RECURRENT, SEQUENCES, TEMPORAL
from spatial_samples import SPATIAL, convolutions, means, pools

from facula_cuda import synchronize
from facula_cuda._planners import launches, planners, reports
from facula_cuda._planners.optimizers import STEPS
from facula_cuda.testing import build
from facula_storage import LaunchError

FLOATING = ("float32", "float64", "float16", "bfloat16")


@pytest.fixture(autouse=True)
def without_descriptions(monkeypatch):
    """Keep LaunchError with its details, which facula_tensor describes where another test has imported it."""
    monkeypatch.setattr(reports, "pending_launches", [])


# Each kernel's shapes: none, one and many elements; more than one warp, and more than one block's worth of a row.
ROWS = [
    *chain.from_iterable(norms("layer_norm", (3, 40), 1, dtype) for dtype in FLOATING),
    *chain.from_iterable(norms("layer_norm", *one) for one in [
        ((0, 4), 1, "float32"), ((3, 0), 1, "float32"), ((2, 3, 1), 1, "float32"), ((2, 10_000), 1, "float32"),
        ((300, 33), 1, "float32"), ((3, 4, 500), 2, "float32", True, 100.0), ((3, 5), 1, "float32", False)]),
    *chain.from_iterable(norms("rms_norm", *one) for one in [((70, 33), 1, "float32"), ((2, 3000), 1, "bfloat16")]),
    *chain.from_iterable(unit_rows(*one) for one in [
        ((70, 33), 1, "float32"), ((2, 3, 500), 2, "float64"), ((3, 3000), 1, "float32", 1e25), ((0, 4), 1, "float32"),
        ((3, 0), 1, "float32")]),
    *chain.from_iterable(cosines(*one) for one in [
        ((70, 33), 1, "float32"), ((2, 3, 500), 2, "float64"), ((3, 3000), 1, "float32", 1e25), ((0, 4), 1, "float32"),
        ((3, 0), 1, "float32")]),
    *chain.from_iterable(norms("group_norm", *one) for one in [
        ((3, 4, 7, 5), 2, "float32"), ((2, 4, 2000), 2, "float32"), ((100, 6), 3, "float32"), ((2, 4, 0), 2, "float32"),
        ((40, 64, 9), 8, "float16"), ((2, 6, 4), 3, "float32", False)]),
]  # fmt: skip
CHANNELS = [
    *chain.from_iterable(batch_norms(shape, "float32") for shape in [
        (4, 3), (5, 40), (1, 3, 4), (2, 3, 70, 70), (300, 70), (0, 3, 2), (2, 0, 3), (5000, 3)]),
    *batch_norms((3, 4, 9, 5), "float32", weighted=False, offset=10),
    *batch_norms((700, 2, 30), "float64"),
]  # fmt: skip
LOSSES = [
    *chain.from_iterable(class_losses(shape, "float32", "mean") for shape in [
        (5, 7), (2100, 3), (9, 33), (2, 5000), (0, 4), (1, 1)]),
    *class_losses((2, 70, 9), "float32", "none", weighted=True, smoothing=0.1),
    *class_losses((3, 5), "float32", "sum", smoothing=0.1),
    *class_losses((4, 50, 6), "float32", "mean", weighted=True, last=True),
    *class_losses((3, 1000), "float64", "mean", weighted=True),
]  # fmt: skip
DRAWS = [
    *(draws("uniform", dtype, count, (-1.0, 2.5)) for dtype in FLOATING for count in (0, 1, 5, 3000)),
    *(draws("uniform", dtype, 3000, (1.0, 1.001)) for dtype in FLOATING),
    *(draws("normal", dtype, 3001, (0.5, 2.0)) for dtype in FLOATING),
    *(draws("bernoulli", dtype, 1023, (p,)) for dtype in ("float32", "bool", "float64", "float16")
      for p in (0.0, 0.3, 1.0)),
    *(draws("randint", dtype, 1023, (-5, 70)) for dtype in ("uint8", "int16", "int32", "int64")),
    draws("randint", "int64", 1023, (-(1 << 63), (1 << 63) - 1)),
    draws("philox", "int32", 1023, (1 << 33,)),
    *(rejections(operator, dtype, 1023, scale) for operator in ("standard_gamma", "log_standard_gamma", "poisson",
      "binomial") for dtype in ("float32", "float64") for scale in (0.3, 5.0, 400.0)),
]  # fmt: skip
INDEXING = [
    *chain.from_iterable(slices((4, 5, 6), 1, (3, 4), dtype) for dtype in ("float32", "bfloat16", "bool")),
    *slices((4, 5, 6), 1, (3, 4), "complex128"),
    *chain.from_iterable(slices(*one, "float32") for one in [
        ((10,), 0, (50,)), ((20, 300), 0, (70,)), ((3, 6, 1), 1, ()), ((3, 4), 0, (0,)), ((2, 3), 0, (1000,))]),
    *chain.from_iterable(elements((4, 5, 6), 1, (3, 9, 6), dtype) for dtype in ("float32", "float16", "int8", "bool")),
    *elements((4, 5), 0, (7, 5), "complex64", ("set", "sum", "prod")),
    *chain.from_iterable(elements(*one, "float32") for one in [
        ((7,), 0, (600,)), ((3, 40), 1, (2, 300)), ((3, 40), 0, (5, 40)), ((1,), 0, (1,)), ((4, 3), 0, (0, 3)),
        ((70_000,), 0, (1500,))]),
    *slices((300, 3), 0, (2100,), "float32"),
]  # fmt: skip
MOVES = [
    *chain.from_iterable(moves((3, 4, 5), dtype) for dtype in ("bool", "float16", "float32", "int64", "complex128")),
    *chain.from_iterable(moves(*one) for one in [
        ((), "float32"), ((7,), "float32"), ((0, 3), "float32"), ((1, 4), "float32"),
        ((6, 5, 4), "float32", (2, 0, 1)), ((2,) * 9, "int8", (8, 1, 6, 3, 4, 5, 2, 7, 0))]),
    *chain.from_iterable(triangles(shape, "float32") for shape in [(3, 4), (2, 3, 4, 3), (0, 3), (3, 0), (1, 1)]),
    *chain.from_iterable(triangles((4, 3), dtype) for dtype in ("bool", "bfloat16", "float64", "complex128")),
]  # fmt: skip
POSITIONS = [*chain.from_iterable(map(positions, [(5,), (3, 4), (3, 1000, 2), (0,), (1,), (), (300_000,)]))]
OPTIMIZERS = [
    *(steps(operator, states, (5, 0, 5000), "float32") for operator, step in STEPS.items() for states in step.state),
    steps("adam_step", 2, tuple(range(150)), "float64"),
    *chain.from_iterable(
        factored_steps(shapes, dtype)
        for dtype in ("float32", "float64")
        for shapes in [[(3, 4)], [(300, 70), (2, 3, 5, 4), (40, 3, 3), (0, 3), (3, 0), (1, 1)], [(2, 9000)]]
    ),
]
SAMPLES = [
    *ROWS, *CHANNELS, *LOSSES, *DRAWS, *INDEXING, *MOVES, *POSITIONS, *OPTIMIZERS, *LINES, *SEQUENCES, *SPATIAL
]  # fmt: skip


@pytest.fixture(autouse=True)
def device(simulated):
    simulated()


@pytest.fixture(scope="module")
def modules():
    """Return the kernels' names by the text of each module of the samples, compiled together."""
    found = modules_of(SAMPLES)
    build.prebuild(found, launches.headers())
    return found


def test_modules_are_compiled_together(modules):
    """Their structs and kernels have names of their own: two modules may have kernels of one operator and dtype."""
    names = list(chain.from_iterable(modules.values()))
    assert len(set(names)) == len(names) > len({name.rpartition("_")[0] for name in names})


@pytest.mark.usefixtures("modules")
@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_results_are_the_cpus(sample):
    assert difference(sample, run_on_cpu(sample), run_on_device(sample)) is None
    synchronize()  # raises the errors that kernels reported


PRODUCT = Sample(
    "matmul", [values((70, 35), "int32", 0, 10.0), values((35, 67), "int32", 1, 10.0)], [empty((70, 67), "int32")]
)

# For each barrier of the templates (its file, and its number there) a sample that shows when it is missing.
BARRIERS = {
    ("adafactor", 0): next(factored_steps([(300, 170)], "float32")),
    ("adafactor", 1): next(factored_steps([(300, 170)], "float32")),
    ("common", 0): next(norms("layer_norm", (1, 9000), 1, "float32")),
    ("common", 1): next(norms("layer_norm", (1, 9000), 1, "float32")),
    ("common", 2): next(batch_norms((2, 5, 15, 15), "float32")),
    ("common", 3): next(batch_norms((2, 5, 15, 15), "float32")),
    ("batch_norm", 0): next(batch_norms((20, 300), "float32")),
    ("batch_norm", 1): next(batch_norms((20, 300), "float32")),
    ("classes", 0): next(class_losses((2, 5000), "float32", "mean")),
    ("classes", 1): next(class_losses((2, 5000), "float32", "mean")),
    ("classes", 2): next(class_losses((150, 1000), "float32", "sum")),
    ("convolution", 0): next(convolutions((2, 4, 30, 30), (5, 4, 3, 3))),
    ("convolution", 1): next(convolutions((2, 4, 30, 30), (5, 4, 3, 3))),
    ("attention", 0): ATTENTION[0],
    ("attention", 1): ATTENTION[0],
    **{("recurrent", number): RECURRENT[number // 2] for number in range(4)},
    **{("ctc", number): TEMPORAL[number > 0] for number in range(3)},
    ("tiles", 0): ATTENTION[1],
    ("tiles", 1): ATTENTION[1],
    ("common", 4): list(positions((3, 1000, 2)))[1],
    ("common", 5): list(positions((3, 1000, 2)))[1],
    **{("scan", number): next(scans((3, 20_000), 1, "float32", "cumsum")) for number in range(6)},
    **{("sort", number): next(sorts((70, 30), 1, "float32", "median_dim")) for number in range(3)},
    **{("sort", number): next(sorts((3, 2100), 1, "int16", "sort")) for number in range(3, 6)},
    ("products", 0): PRODUCT,
    ("products", 1): PRODUCT,
}
BARRIER = re.compile(r"__syncthreads\(\);")


def test_the_list_of_barriers_is_complete():
    texts = {name: text for name, text in launches.headers().items() if name.endswith(".cuh")}
    for other in ("reduce", "rows", "typed"):  # of reductions and softmax
        del texts[f"facula/{other}.cuh"]
    found = {(name[7:-4], k) for name, text in texts.items() for k in range(len(BARRIER.findall(text)))}
    assert found == set(BARRIERS)


@pytest.mark.parametrize("barrier", BARRIERS, ids=lambda one: f"{one[0]}-{one[1]}")
def test_a_missing_barrier_shows(barrier, monkeypatch):
    sample, (file, number) = BARRIERS[barrier], barrier
    monkeypatch.setattr(launches, "MAX_BLOCKS", 2)  # so that each block does several tasks
    expected, plan = run_on_cpu(sample), plan_of(sample)
    for order in ORDERS:  # with all barriers, the order does not matter
        assert difference(sample, expected, run_on_device(sample, order, plan)) is None
    texts = dict(launches.headers())
    place = list(BARRIER.finditer(texts[f"facula/{file}.cuh"]))[number]
    text = texts[f"facula/{file}.cuh"]
    texts[f"facula/{file}.cuh"] = text[: place.start()] + text[place.end() :]
    monkeypatch.setattr(launches, "headers", lambda: texts)
    plan = plan_of(sample)
    assert any(fails(sample, expected, order, plan) for order in ORDERS)


def fails(sample, expected, order, plan):
    """Return whether a kernel's results are wrong, or it uses memory outside of its operands."""
    try:
        return difference(sample, expected, run_on_device(sample, order, plan)) is not None
    except DriverError:
        return True


ORDER_SAMPLES = [
    *norms("group_norm", (2, 4, 2000), 2, "float32"),
    *class_losses((2, 70, 9), "float32", "none", weighted=True, smoothing=0.1),
    *elements((7,), 0, (600,), "float32"),
    *slices((2, 3), 0, (1000,), "float32"),
    steps("nadam_step", 2, (5, 5000), "float32"),
    *ATTENTION,
    *RECURRENT,
    *TEMPORAL,
    *pools((2, 3, 9, 11), (5, 6), 3, 2, 1),
    *means((5, 9, 20), (4, 1)),
    *convolutions((2, 4, 13, 8), (8, 1, 5, 5), 3, 2, 2, 4),
]


@pytest.mark.parametrize("order", ORDERS[1:])
@pytest.mark.parametrize("sample", ORDER_SAMPLES, ids=str)
def test_the_order_of_threads_does_not_matter(sample, order):
    assert difference(sample, run_on_cpu(sample), run_on_device(sample, order)) is None


def view(given, *axes):
    return Given(given.array.transpose(axes), given.dtype)


def test_operands_of_any_strides():
    index = view(indices((9, 2), 5), 1, 0)
    for operator, inputs, outputs, parameters in [
        ("gather", [view(values((6, 5, 4), "float32"), 2, 1, 0), indices((3, 5, 6), 4)], [empty((3, 5, 6), "float32")],
         (0,)),
        ("take", [view(values((6, 5, 4), "float32"), 2, 0, 1), indices((3,), 6)], [empty((4, 3, 5), "float32")], (1,)),
        ("scatter", [index, view(values((9, 2), "float32"), 1, 0)], [values((4, 6), "float32")], (1, "sum")),
        ("gather", [view(values((2,) * 9, "float32"), 8, 1, 6, 3, 4, 5, 2, 7, 0),
                    view(indices((2,) * 9, 2), 0, 8, 2, 4, 3, 1, 6, 7, 5)], [empty((2,) * 9, "float32")], (0,)),
        ("take", [view(values((2,) * 9, "float32"), 8, 1, 6, 3, 4, 5, 2, 7, 0), indices((3,), 2)],
         [empty((2, 2, 3, 2, 2, 2, 2, 2, 2), "float32")], (2,)),
        ("nonzero_flat", [view(values((2,) * 9, "bool"), 8, 1, 6, 3, 4, 5, 2, 7, 0)],
         [empty((int(values((2,) * 9, "bool").array.sum()),), "int64")], ()),
        ("nonzero_flat", [view(values((40, 50), "bool"), 1, 0)],
         [empty((int(values((40, 50), "bool").array.sum()),), "int64")], ()),
    ]:  # fmt: skip
        sample = Sample(operator, inputs, outputs, parameters)
        assert difference(sample, run_on_cpu(sample), run_on_device(sample)) is None


@pytest.mark.parametrize(
    ("operator", "inputs", "outputs", "parameters", "numbers", "expected"),
    [
        ("take", [values((4, 5), "float32"), Given(np.array([1, 7, -1]), "int64")], [empty((4, 3), "float32")], (1,),
         (), [1, 7, 1, 5]),
        ("take", [values((4, 0), "float32"), Given(np.array([0, -5]), "int64")], [empty((2, 0), "float32")], (0,), (),
         [1, -5, 1, 4]),
        ("index_select", [values((4,), "float32"), Given(np.array([3, -1]), "int64")], [empty((2,), "float32")], (0,),
         (), [7, -1, 1, 4]),
        ("put", [Given(np.array([9, 1]), "int64"), values((2,), "float32")], [values((4,), "float32")], (0, True), (),
         [1, 9, 0, 4]),
        ("gather", [values((4, 3), "float32"), Given(np.array([[0, 1, 2], [1, 9, 0]]), "int64")],
         [empty((2, 3), "float32")], (0,), (), [7, 9, 4, 4]),
        ("gather", [values((4, 10), "float32"), Given(np.broadcast_to([[1], [9]], (2, 10)), "int64")],
         [empty((2, 10), "float32")], (0,), (), [7, 9, 10, 4]),
        ("scatter", [Given(np.array([[0, -1], [1, 1]]), "int64"), values((2, 2), "float32")],
         [values((2, 4), "float32")], (1, "sum"), (), [7, -1, 1, 4]),
        ("cross_entropy", [values((3, 5), "float32"), Given(np.array([1, -100, 5]), "int64"), None],
         [empty((), "float32")], ("mean",), (-100, 0.0), [5, 5, 2, 5, -100]),
        ("max_pool2d_pick", [values((1, 2, 3), "float32"), Given(np.array([[[0, 5, 6]]]), "int64")],
         [empty((1, 1, 3), "float32")], (None, (1, 3)), (), [1, 6, 2, 6]),
        ("max_pool2d_grad", [values((2, 1, 2), "float32"), Given(np.array([[[0, 5]], [[-1, 1]]]), "int64")],
         [empty((2, 2, 3), "float32")], (None, (2, 3)), (), [1, -1, 2, 6]),
        ("ctc_loss", [values((4, 1, 3), "float32"), *[Given(np.array(one), "int64") for one in ([1, 9], [[4, 2, 0]])]],
         [empty((1,), "float32"), empty((1, 4, 5), "float32")], (2,), (0, 0), [5, 9, 1, 3, 0]),
        ("ctc_loss", [values((4, 1, 3), "float32"), *[Given(np.array(one), "int64") for one in ([1], [[5, 1, 0]])]],
         [empty((1,), "float32"), empty((1, 4, 5), "float32")], (2,), (0, 0), [2, 0]),
        ("recurrent", [values((5, 2), "float32"), values((2, 3), "float32"), None, values((3, 2), "float32"),
                       values((3, 3), "float32"), None, None, Given(np.array([2, 3]), "int64")],
         [empty(shape, "float32") for shape in [(5, 3), (2, 3), (0,), (5, 3), (0,)]],
         ("rnn_tanh", False), (), [2, 3]),
    ],
)  # fmt: skip
def test_wrong_elements_are_reported(operator, inputs, outputs, parameters, numbers, expected):
    sample = Sample(operator, inputs, outputs, parameters, numbers)
    found = run_on_device(sample)
    with pytest.raises(LaunchError) as caught:
        synchronize()
    assert list(caught.value.args[: len(expected)]) == expected
    if operator in ("put", "scatter"):  # the other values are in place
        index, several = inputs
        keep = (index.array >= 0) & (index.array < outputs[0].array.shape[-1])
        wanted = outputs[0].array.copy()
        where = (index.array[keep],) if index.array.ndim == 1 else (np.nonzero(keep)[0], index.array[keep])
        np.add.at(wanted, where, several.array[keep])
        np.testing.assert_allclose(found[-1], wanted, rtol=1e-6)


@pytest.mark.parametrize(
    ("operator", "inputs", "outputs", "parameters"),
    [
        ("layer_norm", [view(values((4, 3), "float32"), 1, 0), None, None],
         [empty((3, 4), "float32"), empty((3,), "float32"), empty((3,), "float32")], (1,)),
        ("batch_norm_eval", [values((4, 3), "float16"), *[None] * 4], [empty((4, 3), "float16")], ()),
        ("uniform", [], [empty((3,), "int32")], ()),
        ("randint", [], [empty((3,), "float32")], ()),
        ("dropout", [values((4, 3), "float16")], [empty((4, 3), "float16")], ()),
        ("scatter", [indices((3,), 4), values((3,), "complex64")], [values((4,), "complex64")], (0, "amax")),
        ("adam_step", [values((4,), "float16")] * 5, [], (5,)),
        ("attention", [view(values((4, 3, 2), "float32"), 0, 2, 1)] * 4, [empty((4, 2, 3), "float32")], (False,)),
        ("attention", [Given(np.broadcast_to(np.float32(0), (1 << 31, 1, 1)), "float32")] * 4,
         [Given(np.broadcast_to(np.float32(0), (1 << 31, 1, 1)), "float32")], (False,)),
        ("recurrent", [values((2, 3, 4), "float16")] * 8, [], ("lstm", False)),
        ("ctc_loss", [values((2, 3, 4), "float32"), *[values((3, 3), "int32")] * 2], [], (1,)),
    ],
)  # fmt: skip
def test_planners_decline_what_they_have_no_kernel_for(operator, inputs, outputs, parameters):
    assert planners[operator](operator, layouts(inputs), layouts(outputs), parameters) is None


@pytest.mark.parametrize("view", [lambda array: array[:, ::2], lambda array: np.broadcast_to(array[:1], (3, 4, 5))])
@pytest.mark.parametrize(
    ("operator", "parameters"), [("flip", ((0, 2),)), ("roll", ((1, 2), (1, 2))), ("tile", ((2, 1, 3), (1, 3, 1)))]
)
def test_moves_of_views_with_gaps_and_of_broadcast_arrays(operator, parameters, view):
    a = Array(np.arange(120).reshape(6, 4, 5), "int32", view)
    shape = a.shape if operator != "tile" else tuple(a.shape[d] * parameters[0][d] * parameters[1][d] for d in range(3))
    for step in (1,) if operator == "tile" else (1, 3):
        o = Array(np.full((*shape[:-1], shape[-1] * step), 7), "int32", lambda array, step=step: array[..., ::step])
        expected, found = run_both(operator, [a], [o], parameters)
        np.testing.assert_array_equal(found[0], expected[0])


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_dropout_drops_the_cpus_elements(dtype, share):
    sample = Sample("dropout", [values((3001,), dtype)], [empty((3001,), dtype)], (), (share, 5, 1 << 40))
    assert difference(sample, run_on_cpu(sample), run_on_device(sample)) is None


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "complex128"])
@pytest.mark.parametrize(
    ("shapes", "dim"),
    [
        ([(3, 4), (3, 0), (3, 5)], 1),
        ([(2, 3)], 0),
        ([(1,)] * 600, 0),
        ([(5, 7, 2), (5, 1, 2)], 1),
        ([(0, 2), (0, 3)], 1),
    ],
)
def test_cat(dtype, shapes, dim):
    parts = [values(shape, dtype, seed) for seed, shape in enumerate(shapes)]
    expected = np.concatenate([part.array for part in parts], dim)
    o, memory = empty(expected.shape, dtype), Memory()
    plan = planners["cat"]("cat", (), (o.layout,), ())
    outer = int(np.prod(shapes[0][:dim]))
    rows = [(memory.copy_of(one.array), one.array.nbytes // outer if outer else 0) for one in parts]
    address = memory.copy_of(o.array)
    plan.launch(expected.size, outer, len(parts), *chain.from_iterable(rows), address)
    assert np.array_equal(memory.read(address, o.array), expected)
    memory.free()
