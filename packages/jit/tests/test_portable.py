"""Captures as programs that run without Python: results of the C program equal those of a replay."""

from functools import partial
from itertools import cycle

import numpy as np
import pytest
from flow_programs import DIFFERENTIABLE, FUNCTIONS, signed
from jit_files import latest, run, write
from jit_toys import step_of

from facula_autograd import grad
from facula_cpu import get_convolution_algorithm, set_convolution_algorithm
from facula_cpu.extend import at_level, levels
from facula_errors.testing import raises
from facula_jit import SaveError, capture, cond, load, save
from facula_jit._replay.portable_program import section
from facula_tensor import cat, no_grad, ones, randn, roll, tensor, zeros
from facula_tensor import functional as F
from facula_tensor.extend import AdamNumbers, adam_step
from facula_tensor.linalg import eigvals

STEPS = 20


@pytest.fixture
def level(request):
    """Run the test with the kernels of this level."""
    with at_level(request.param):
        yield request.param


def at_levels(names):
    """Return each of a test's cases at one level, in rotation: kernels of each level have their own tests."""
    return pytest.mark.parametrize(("name", "level"), list(zip(names, cycle(levels()))), indirect=["level"])


def leaf(*shape):
    return (randn(*shape) * 0.3).requires_grad_()


def adam(parameters, rate=0.01):
    """Return a step of Adam with state of the program."""
    rows = [(p, zeros(p.shape), zeros(p.shape), zeros(())) for p in parameters]
    numbers = AdamNumbers(rate, 0.9, 0.99, 1e-8, 0.0, 1.0, 1.0)

    def step():
        with no_grad():
            adam_step([t for p, *state in rows for t in (p, p.grad, *state)], 5, numbers)
        for p in parameters:
            p.grad = None

    return step


def training(forward, parameters, shape):
    """Return a training step of forward(x) towards 1, and its arguments."""
    change = adam(parameters)

    def step(x):
        loss = ((forward(x) - 1) ** 2).mean()
        loss.backward()
        change()
        return loss.detach()

    return step, lambda: (randn(*shape),)


def perceptron():
    first, second, bias = leaf(16, 6), leaf(3, 16), leaf(16)
    forward = lambda x: F.linear(F.dropout(F.linear(x, first, bias).relu(), 0.3), second)
    return training(forward, [first, second, bias], (5, 6))


def convolution():
    filters, bias, weight, offset = leaf(4, 2, 3, 3), leaf(4), ones(4).requires_grad_(), leaf(4)
    mean, variance = zeros(4), ones(4)

    def forward(x):
        x = F.batch_norm(F.conv2d(x, filters, bias, padding=1), mean, variance, weight, offset, training=True)
        return F.max_pool2d(x.tanh(), 2) if hasattr(F, "max_pool2d") else x.tanh()

    return training(forward, [filters, bias, weight, offset], (3, 2, 8, 8))


def attention():
    query, key, value = leaf(32, 8), leaf(32, 8), leaf(32, 8)

    def forward(x):
        given = [F.linear(x, operand).view(2, 9, 4, 8).transpose(1, 2) for operand in (query, key, value)]
        mixed = F.scaled_dot_product_attention(*given, dropout_p=0.2, is_causal=True)
        return F.layer_norm(mixed.transpose(1, 2).reshape(2, 9, 32), (32,))

    return training(forward, [query, key, value], (2, 9, 8))


def recurrence():
    inner, outer = leaf(8, 8), leaf(8, 3)

    def forward(x):
        state = zeros(x.shape[1], 8)
        for number in range(x.shape[0]):
            state = (F.linear(state, inner) + x[number] @ outer.T).tanh()
        return state

    return training(forward, [inner, outer], (5, 4, 3))


def several_dtypes():
    """Conversions and chains of half-precision dtypes, which are one program."""
    weight = leaf(4, 6)
    forward = lambda x: ((x.half() * weight.half() + 0.1).tanh().bfloat16() * 3).float()
    return training(forward, [weight], (4, 6))


def choosing(name):
    """Return a step with a loss that a condition computes, forward and backward."""
    weights = [tensor([1.0, 2.0, -1.0, 0.5]).requires_grad_() for _ in range(2)]
    change = adam(weights)

    def step(x, y):
        loss = DIFFERENTIABLE[name](x, y, *weights).sum()
        loss.backward()
        change()
        return loss.detach()

    return step, lambda: (randn(4), randn(4))


NETWORKS = {"perceptron": perceptron, "several dtypes": several_dtypes,
            "convolution": convolution, "attention": attention, "recurrence": recurrence,
            "by hand": lambda: (step_of()[0], lambda: (randn(4, 6), randn(4, 6))),
            **{f"cond: {name}": partial(choosing, name) for name in DIFFERENTIABLE}}  # fmt: skip


@at_levels(NETWORKS)
def test_training(name, level, tmp_path):
    """20 steps, and one more from the saved file."""
    step, make = NETWORKS[name]()
    captured = capture(step, on_break="error")
    for _ in range(5):
        captured(*make())
    given = [make() for _ in range(STEPS)]
    path = write(tmp_path / "step.facula", step=captured)
    assert name != "several dtypes" or "float16(tanh(" in str(captured.graph())
    for arguments in given:
        wanted = captured(*arguments).numpy()
    inputs = [np.stack([arguments[place].numpy() for arguments in given]) for place in range(len(given[0]))]
    saved = tmp_path / "saved.facula"
    (got,) = run(tmp_path, path, inputs, 1, "--steps", STEPS, "--save", saved, FACULA_CPU_LEVEL=level)
    assert got.tobytes() == wanted.tobytes()
    (got,) = run(tmp_path, saved, [argument.numpy() for argument in given[0]], 1, FACULA_CPU_LEVEL=level)
    assert got.tobytes() == captured(*given[0]).numpy().tobytes()


def tensors_in(result):
    """Return the tensors of a result, in order."""
    if isinstance(result, (tuple, list)):
        return [leaf for part in result for leaf in tensors_in(part)]
    return [] if result is None else [result]


@at_levels(FUNCTIONS)
def test_tensor_dependent_control_flow(name, level, tmp_path):
    """Nested conditions and loops: each step takes different branches, and equals the function."""
    captured, given = capture(FUNCTIONS[name], on_break="error"), [signed(number) for number in range(8)]
    for arguments in given[:3]:
        captured(*arguments)
    path = write(tmp_path / "decides.facula", step=captured)
    for stop in range(4, 9):
        wanted = tensors_in(captured(*given[stop - 1]))
        inputs = [np.stack([arguments[place].numpy() for arguments in given[3:stop]]) for place in (0, 1)]
        made = run(tmp_path, path, inputs, len(wanted), "--steps", stop - 3, FACULA_CPU_LEVEL=level)
        assert [result.tobytes() for result in made] == [result.numpy().tobytes() for result in wanted], stop


KEPT = tensor([[1.0, 2.0, 3.0]])


def nested(x, y):
    """Results of all kinds: new ones, views, an argument, parts of one, a tensor from outside, plain numbers."""
    made = x @ y
    return {
        "made": made,
        "turned": made.t(),
        "given": (y, y[1:], 3),
        "outside": KEPT,
        "moved": [roll(x, 1, 0), x.flip(1)],
    }


def test_results(tmp_path):
    """In order, with any strides; values other than tensors are omitted."""
    captured = capture(nested, on_break="error")
    for _ in range(4):
        result = captured(x := randn(2, 3), y := randn(3, 4))
    wanted = [result["made"], result["turned"], *result["given"][:2], result["outside"], *result["moved"]]
    path = write(tmp_path / "nested.facula", step=captured)
    made = run(tmp_path, path, [x.numpy(), y.numpy()], len(wanted))
    for got, want in zip(made, wanted, strict=True):
        assert got.shape == tuple(want.shape)
        assert got.tobytes() == np.ascontiguousarray(want.numpy()).tobytes()


def test_arguments_in_one_memory(tmp_path):
    """Parts of one tensor, strided arguments, and one that is changed."""

    def function(a, b, c):
        c.add_(1)
        return cat([a, b]) * 2 + c

    captured = capture(function, on_break="error")
    whole, c = randn(6, 4), randn(4, 4)
    for _ in range(4):
        wanted = captured(whole[1:3], whole[3:5], c.t())
    c.sub_(1)
    path = write(tmp_path / "parts.facula", step=captured)
    (got,) = run(tmp_path, path, [whole[1:3].numpy(), whole[3:5].numpy(), np.ascontiguousarray(c.t().numpy())], 1)
    assert got.tobytes() == wanted.numpy().tobytes()


@pytest.mark.parametrize("name", ["plain", "cond"])
def test_outer_gradients_are_omitted(name, tmp_path):
    """Only the forward pass of a capture whose results require gradients; conditions of the backward are
    omitted, too.
    """
    weight = leaf(4, 4)
    plain = lambda x: (x @ weight).tanh()
    chosen = lambda x: cond(x.sum() > 0, lambda: plain(x), lambda: plain(x).exp() * x)
    captured = capture(plain if name == "plain" else chosen, on_break="error")
    for _ in range(4):
        wanted = captured(x := randn(2, 4))
    grad(wanted.sum(), weight)
    (got,) = run(tmp_path, write(tmp_path / "forward.facula", step=captured), [x.numpy()], 1)
    assert got.tobytes() == wanted.detach().numpy().tobytes()


def test_random_streams_continue(tmp_path):
    """A graph that was loaded, called and saved again continues its random stream there."""
    captured, path = capture(lambda x: F.dropout(x, 0.5), on_break="error"), tmp_path / "drawn.facula"
    for _ in range(3):
        captured(x := ones(64))
    save(captured, path, run=True)
    again = load(path)
    again(x)
    again.save(path)
    (got,) = run(tmp_path, path, [x.numpy()], 1)
    assert got.tobytes() == again(x).numpy().tobytes()


def test_the_algorithm_of_convolutions(tmp_path):
    """A change of the setting records a captured function again; a file contains the algorithm, and programs use it."""
    weight, x, before = randn(40, 32, 3, 3), randn(2, 32, 9, 9), get_convolution_algorithm()
    function = lambda x: F.conv2d(x, weight, padding=1)
    wanted, paths = {}, {}
    captured = capture(function, on_break="error")
    try:
        for name in ("fast", "direct", "fast"):
            set_convolution_algorithm(name)
            wanted[name] = function(x).numpy().tobytes()
            for _ in range(4):
                assert captured(x).numpy().tobytes() == wanted[name]
            path = tmp_path / f"{name}{len(paths)}.facula"
            save(captured, path, run=True)
            paths[path] = wanted[name]
        set_convolution_algorithm("direct")  # and no further call
        save(captured, path := tmp_path / "direct.facula", run=True)
        paths[path] = wanted["direct"]
        assert wanted["fast"] != wanted["direct"]
        for path, expected in paths.items():
            assert load(path)(x).numpy().tobytes() == expected
            (got,) = run(tmp_path, path, [x.numpy()], 1, FACULA_CPU_CONVOLUTION="direct")
            assert got.tobytes() == expected
    finally:
        set_convolution_algorithm(before)


def test_refusals():
    """Functions of NumPy, by operator; tensors without a name."""
    captured = capture(lambda x: eigvals(x).real, on_break="error")
    for _ in range(4):
        captured(randn(3, 3))
    with raises(NotImplementedError, "jit.save", "is computed by Python or NumPy, which a program without"):
        section(latest(captured), {})
    captured = capture(lambda x: x + KEPT, on_break="error")
    for _ in range(4):
        captured(randn(3))
    with raises(ValueError, "jit.save", "a name in the file for each tensor of the program"):
        section(latest(captured), {})


def test_names(tmp_path):
    """Inputs and outputs have the names that the caller passes."""
    captured = capture(lambda x, y: (x + y, x - y), on_break="error")
    for _ in range(4):
        captured(ones(2), ones(2))
    data = section(latest(captured), {}, ["left", "right"], ["sum"])
    assert all(name in data for name in (b"left\0", b"right\0", b"sum\0", b"y1\0"))


def test_programs_that_need_no_python(tmp_path):
    """One program for each capture, with tensors from the file."""
    weight = randn(3)
    captured = capture(lambda x: x * weight, on_break="error")
    for size in (1, 2, 4):
        for _ in range(4):
            wanted = captured(x := randn(size, 3))
    path = tmp_path / "scaled.facula"
    save(captured, path, run=True)
    assert list(load(path).members) == [f"run/graph{number}.bin" for number in range(3)]
    (got,) = run(tmp_path, path, [x.numpy()], 1)
    assert got.tobytes() == wanted.numpy().tobytes()
    with raises(SaveError, "save", "run=True requires the captured function"):
        save(load(path), path, run=True)
