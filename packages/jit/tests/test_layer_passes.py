"""Passes over the layers of networks for images: folding of batch norm, and pooling before relu."""

import numpy as np
import pytest
from jit_files import run

import facula_tensor as ft
from facula_jit import capture, cond, load, passes, save
from facula_tensor import functional as F
from facula_tensor import manual_seed, no_grad, rand, randn

FOLDED = ["batch_norm_factors", "mul"]
FOLDING = (passes.fold_batch_norm, *passes.DEFAULT)


class Layer:
    """A layer with batch norm: `apply(x, weight, bias)`, and tensors that tests change."""

    def __init__(self, apply, weight, has_bias=True, has_factors=True, dtype=ft.float32):
        filters = weight[0]
        self.apply, self.weight, self.training = apply, randn(*weight, dtype=dtype), False
        self.bias = randn(filters, dtype=dtype) if has_bias else None
        self.scale, self.shift = (randn(filters, dtype=dtype) if has_factors else None for _ in range(2))
        self.mean, self.variance = randn(filters, dtype=dtype), rand(filters, dtype=dtype) + 0.5

    def __call__(self, x):
        made = self.apply(x, self.weight, self.bias)
        return F.batch_norm(made, self.mean, self.variance, self.scale, self.shift, training=self.training)

    def tensors(self):
        return [value for value in vars(self).values() if isinstance(value, ft.Tensor)]


def grouped(x, weight, bias):
    return F.conv2d(x, weight, bias, stride=2, padding=1, groups=2)


CASES = {
    "images": (F.conv2d, (5, 4, 3, 3), (2, 4, 9, 8), {}),
    "large images": (F.conv2d, (16, 16, 3, 3), (2, 16, 12, 12), {}),
    "groups": (grouped, (6, 2, 3, 3), (2, 4, 9, 8), {}),
    "sequences": (F.conv1d, (5, 4, 3), (3, 4, 30), {}),
    "volumes": (F.conv3d, (3, 2, 2, 2, 2), (2, 2, 5, 4, 5), {}),
    "linear": (F.linear, (5, 3), (20, 3), {}),
    "without bias": (F.conv2d, (5, 4, 3, 3), (2, 4, 9, 8), {"has_bias": False}),
    "without factors": (F.conv2d, (5, 4, 3, 3), (2, 4, 9, 8), {"has_factors": False}),
    "without either": (F.linear, (5, 3), (20, 3), {"has_bias": False, "has_factors": False}),
    "float64": (F.conv2d, (5, 4, 3, 3), (2, 4, 9, 8), {"dtype": ft.float64}),
}


def operators(captured):
    return [call.operator for call in captured.graph().calls]


def near(made, wanted):
    scale = abs(wanted).max().item()
    return abs(made - wanted).max().item() <= 20 * ft.finfo(wanted.dtype).eps * scale


@pytest.mark.parametrize("case", CASES)
def test_batch_norm_is_folded(case):
    """Change one of the tensors before each call: replays use the present elements."""
    manual_seed(0)
    apply, weight, shape, options = CASES[case]
    layer = Layer(apply, weight, **options)
    captured = capture(layer, passes=(passes.fold_batch_norm,), on_break="error")
    with no_grad():
        for changed in (None, None, None, *layer.tensors(), layer.weight):
            if changed is not None:
                changed.mul_(1.5)
            x = randn(*shape, dtype=layer.weight.dtype)
            assert near(captured(x), layer(x))
        layer.weight = layer.weight * 2  # another tensor
        for _ in range(3):
            assert near(captured(x), layer(x))
    assert operators(captured)[:2] == FOLDED and len(operators(captured)) == 3


def test_training_and_evaluation():
    """Switch between modes: batch statistics are not folded, and change the running ones, which later calls use."""
    manual_seed(0)
    layers = [Layer(F.conv2d, (5, 4, 3, 3)) for _ in range(2)]
    for tensor, like in zip(layers[1].tensors(), layers[0].tensors(), strict=True):
        tensor.copy_(like)
    captured = capture(layers[0], passes=FOLDING, on_break="error")
    with no_grad():
        for number in range(16):
            layers[0].training = layers[1].training = number // 4 % 2 == 1
            x = randn(2, 4, 9, 8)
            assert near(captured(x), layers[1](x))
            assert ("batch_norm" in operators(captured)) == layers[0].training
    assert layers[0].mean.tolist() == layers[1].mean.tolist()


def read_twice(layer):
    def function(x):
        made = layer.apply(x, layer.weight, layer.bias)
        return F.batch_norm(made, layer.mean, layer.variance) + made

    return function


def changed_between(layer):
    def function(x):
        made = layer.apply(x, layer.weight, layer.bias)
        layer.weight.mul_(1.01)
        return F.batch_norm(made, layer.mean, layer.variance)

    return function


def chosen(layer):
    def function(x):
        made = layer.apply(x, layer.weight, layer.bias)
        return cond(x.sum() > 0, lambda: F.batch_norm(made, layer.mean, layer.variance), lambda: x[:, :, 2:, 2:] * 2)

    return function


def with_gradient(layer):
    layer.scale.requires_grad_()
    return layer


def of_other_sizes(layer):
    return lambda x: layer(x[:, :, :4, :4])  # fewer results than weights


@pytest.mark.parametrize("make", [read_twice, changed_between, chosen, with_gradient, of_other_sizes])
def test_layers_that_stay(make):
    """The results have another reader, an operand changes in between, or there would be no gain."""
    manual_seed(0)
    layer = Layer(F.conv2d, (4, 4, 3, 3))
    function = make(layer)
    captured = capture(function, passes=FOLDING, on_break="error")
    for _ in range(5):
        x, before = randn(2, 4, 9, 8), layer.weight.detach().clone()
        made = captured(x)
        layer.weight.copy_(before)
        assert made.tolist() == function(x).tolist()
    assert "batch_norm_eval" in operators(captured) and FOLDED[0] not in operators(captured)


def test_files_of_folded_layers(tmp_path):
    """Loaded programs in Python and C compute what the capture does."""
    manual_seed(0)
    first, second = Layer(F.conv2d, (6, 1, 3, 3)), Layer(F.conv2d, (16, 6, 3, 3))

    def network(x):
        for layer in (first, second):
            x = F.max_pool2d(layer(x).relu(), 2)
        return x

    captured, x = capture(network, passes=FOLDING, on_break="error"), randn(3, 1, 28, 28)
    with no_grad():
        for _ in range(3):
            captured(x)
        save(captured, path := tmp_path / "network.facula", run=True)
        wanted = captured(x)
    assert operators(captured).count(FOLDED[0]) == 2
    assert load(path)(x).tolist() == wanted.tolist()
    (made,) = run(tmp_path, path, [x.numpy()], 1)
    assert made.tobytes() == wanted.numpy().tobytes()


# ------------------------------------------------------------------------------------------------ pooling before relu
SPECIAL = [float("nan"), float("inf"), -float("inf"), 0.0, -0.0, -1.0, 1.0]


def in_place(x):
    y = x * 1
    return F.max_pool2d(F.relu(y, inplace=True), 3, stride=2, padding=1)


POOLED = {
    "relu": lambda x: F.max_pool2d((x * 1).relu(), 2),
    "of an argument": lambda x: F.max_pool2d(x.relu(), 2, stride=1),
    "in place": in_place,
    "sequences": lambda x: F.max_pool1d(x[0].relu(), 3),
    "adaptive": lambda x: F.adaptive_max_pool2d(x.relu(), 3),
    "integers": lambda x: F.max_pool2d((x.nan_to_num(0, 3, -3) * 4).long().relu(), 2),
}


@pytest.mark.parametrize("name", POOLED)
def test_pooling_before_relu(name):
    """Compare every bit, with NaN, infinities and both zeros in many combinations."""
    function = POOLED[name]
    captured = capture(function, passes=(passes.pool_before_relu,), on_break="error")
    rng = np.random.default_rng(0)
    for _ in range(4):
        x = ft.from_numpy(rng.choice(np.float32(SPECIAL), (2, 3, 24, 25))).clone()
        made, wanted = captured(x), function(x)
        assert made.numpy().tobytes() == wanted.numpy().tobytes()
    names = operators(captured)
    assert names[-1] == "relu" and names[-2].startswith("max_pool2d") and names.count("relu") == 1


def with_indices(x):
    return F.max_pool2d(x.relu(), 2, return_indices=True)[1]


def read_again(x):
    y = x.relu()
    return F.max_pool2d(y, 2).sum() + y.sum()


def means(x):
    return F.avg_pool2d(x.relu(), 2)


@pytest.mark.parametrize("function", [with_indices, read_again, means])
def test_relu_that_stays(function):
    captured = capture(function, on_break="error")
    for _ in range(4):
        x = randn(2, 3, 8, 8)
        assert captured(x).tolist() == function(x).tolist()
    assert operators(captured)[0] == "relu"


def test_relu_stays_before_pooling_with_a_gradient():
    x = randn(2, 3, 8, 8, requires_grad=True)
    captured = capture(lambda: F.max_pool2d(x.relu(), 2), on_break="error")
    for _ in range(4):
        captured().sum().backward()
        made, x.grad = x.grad, None
        F.max_pool2d(x.relu(), 2).sum().backward()
        assert made.tolist() == x.grad.tolist()
        x.grad = None
    assert operators(captured)[0] == "relu"


# ------------------------------------------------------------------------------------------------ steps of convolutions
WEIGHTS = {"few channels": (16, 1, 3, 3), "Winograd": (33, 16, 3, 3), "one of each group": (6, 1, 3, 3)}


def relu_inside(x):
    return F.relu(x, inplace=True)


EXTENDED = {
    "relu": lambda x: x.relu(),
    "pooling": lambda x: F.max_pool2d(x, 2),
    "both": lambda x: F.max_pool2d(x.relu(), 2) * 1,
    "in place": lambda x: relu_inside(x) + 1,
    "pooling of relu in place": lambda x: F.max_pool2d(relu_inside(x), 2),
}


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("name", EXTENDED)
def test_extended_convolutions(name, weight, tmp_path):
    """Compare every bit with the eager function, with and without a bias, and with files for Python and C."""
    manual_seed(0)
    weight, after = randn(*WEIGHTS[weight]), EXTENDED[name]
    groups = 6 if len(weight) == 6 else 1
    for bias in (None, randn(len(weight))):
        function = lambda x: after(F.conv2d(x, weight, bias, padding=1, groups=groups))
        captured = capture(function, on_break="error")
        for _ in range(4):
            x = randn(3, weight.shape[1] * groups, 14, 15)
            assert captured(x).numpy().tobytes() == function(x).numpy().tobytes()
        assert operators(captured)[0] == "conv2d_then" and "relu" not in operators(captured)
        save(captured, path := tmp_path / "layer.facula", run=True)
        assert load(path)(x).numpy().tobytes() == function(x).numpy().tobytes()
        (made,) = run(tmp_path, path, [x.numpy()], 1)
        assert made.tobytes() == function(x).numpy().tobytes()


@pytest.mark.parametrize("factors", [False, True])
@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("name", [*EXTENDED, "alone"])
def test_normalized_convolutions(name, weight, factors, tmp_path):
    """Batch norm with running statistics is a step as well; parameters and statistics may change between replays."""
    manual_seed(0)
    after = EXTENDED.get(name, lambda x: x)
    groups = 6 if weight == "one of each group" else 1
    layer = Layer(lambda *given: F.conv2d(*given, padding=1, groups=groups), WEIGHTS[weight], has_factors=factors)
    function = lambda x: after(layer(x))
    captured = capture(function, on_break="error")
    for _ in range(4):
        x = randn(3, layer.weight.shape[1] * groups, 14, 15)
        assert captured(x).numpy().tobytes() == function(x).numpy().tobytes()
        for tensor in layer.tensors():
            tensor.mul_(1.25)
    assert operators(captured)[0] == "conv2d_then" and "batch_norm_eval" not in operators(captured)
    save(captured, path := tmp_path / "layer.facula", run=True)
    assert load(path)(x).numpy().tobytes() == function(x).numpy().tobytes()
    (made,) = run(tmp_path, path, [x.numpy()], 1)
    assert made.tobytes() == function(x).numpy().tobytes()


def read_before(x):
    y = F.conv2d(x, ft.ones(16, 1, 3, 3))
    return y.relu() + y


def larger_windows(x):
    return F.max_pool2d(F.conv2d(x, ft.ones(16, 1, 3, 3)), 3)


def partial_windows(x):
    return F.max_pool2d(F.conv2d(x[..., 1:, 1:], ft.ones(16, 1, 3, 3)), 2, ceil_mode=True)


def of_products(x):
    return F.conv2d(x, ft.ones(16, 1, 1, 1)).relu()


def norm_of_changed_statistics(x):
    mean = x.sum((0, 2, 3)).expand(16).clone()
    y = F.conv2d(x, ft.ones(16, 1, 3, 3))
    mean += 1
    return F.batch_norm(y, mean, ft.ones(16))


def written_between(x):
    y = F.conv2d(x, ft.ones(16, 1, 3, 3))
    y[0] = 3.0
    return y.relu()


@pytest.mark.parametrize(
    "function",
    [read_before, larger_windows, partial_windows, of_products, norm_of_changed_statistics, written_between],
)
def test_convolutions_that_stay(function):
    captured = capture(function, on_break="error")
    for _ in range(4):
        x = randn(2, 1, 14, 14)
        assert captured(x).tolist() == function(x).tolist()
    assert "conv2d" in operators(captured) and "conv2d_then" not in operators(captured)


def test_training_of_extended_convolutions():
    """Backward passes read the results of relu, so the convolution may compute it."""
    manual_seed(0)
    weight = randn(16, 1, 3, 3).requires_grad_()
    function = lambda x: F.conv2d(x, weight).relu().sum()
    captured = capture(function, on_break="error")
    for _ in range(4):
        x, grads = randn(2, 1, 14, 14), []
        for run_once in (captured, function):
            run_once(x).backward()
            grads.append(weight.grad.numpy().tobytes())
            weight.grad = None
        assert grads[0] == grads[1]


def test_reading_of_linear_layers():
    """Parts are split where backward passes start."""
    weight = ft.ones(4, 4, requires_grad=True)
    captured = capture(lambda x: F.linear(x, weight).relu() * 2)
    captured(ft.ones(4, 4))
    parts = captured.graph().parts()
    assert len(parts) == 2 and [part.operator for part in parts[0]] == ["linear", "fused"]
