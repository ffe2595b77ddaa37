"""Losses as layers: arguments passed to their functions, reprs, and invalid arguments."""

import numpy as np
import pytest

import facula_nn as nn
import facula_nn.functional as F
import facula_tensor as ft
from facula_errors.testing import raises

X = ft.tensor([[0.5, 1.0, -1.0], [2.0, 0.0, 0.1]])
Y = ft.tensor([[1.0, 0.0, 2.0], [0.5, 0.25, 3.0]])
SIGNS = ft.tensor([1.0, -1.0])
CLASSES = ft.tensor([2, 0])
LABELS = ft.tensor([[2, 0, -1], [1, -1, 0]])
WEIGHT = ft.tensor([1.0, 3.0, 0.5])


def far(a, b):
    return (a - b).abs().sum(-1)


# layer with non-default arguments, arguments of the call, function with the same options
CASES = [
    (nn.HingeEmbeddingLoss(0.5, reduction="sum"), (X, Y.sign()), F.hinge_embedding_loss, {"margin": 0.5}, "sum"),
    (nn.MarginRankingLoss(0.5), (X, Y, Y.sign()), F.margin_ranking_loss, {"margin": 0.5}, "mean"),
    (nn.CosineEmbeddingLoss(-0.5, reduce=False), (X, Y, SIGNS), F.cosine_embedding_loss, {"margin": -0.5}, "none"),
    (nn.MultiMarginLoss(2, 0.5, WEIGHT), (X, CLASSES), F.multi_margin_loss,
     {"p": 2, "margin": 0.5, "weight": WEIGHT}, "mean"),
    (nn.MultiLabelMarginLoss(size_average=False), (X, LABELS), F.multilabel_margin_loss, {}, "sum"),
    (nn.MultiLabelSoftMarginLoss(WEIGHT, reduction="none"), (X, Y.sign()), F.multilabel_soft_margin_loss,
     {"weight": WEIGHT}, "none"),
    (nn.SoftMarginLoss(reduction="sum"), (X, Y.sign()), F.soft_margin_loss, {}, "sum"),
    (nn.TripletMarginLoss(0.5, 1.0, 0.25, True), (X, Y, X * Y), F.triplet_margin_loss,
     {"margin": 0.5, "p": 1.0, "eps": 0.25, "swap": True}, "mean"),
    (nn.TripletMarginWithDistanceLoss(distance_function=far, margin=9.0, swap=True), (X, Y, X * Y),
     F.triplet_margin_with_distance_loss, {"distance_function": far, "margin": 9.0, "swap": True}, "mean"),
    (nn.TripletMarginWithDistanceLoss(), (X, Y, X * Y), F.triplet_margin_with_distance_loss, {}, "mean"),
    (nn.PoissonNLLLoss(False, True, eps=0.5, reduction="none"), (Y + 1, Y), F.poisson_nll_loss,
     {"log_input": False, "full": True, "eps": 0.5}, "none"),
    (nn.GaussianNLLLoss(full=True, eps=0.7), (X, Y, Y), F.gaussian_nll_loss, {"full": True, "eps": 0.7}, "mean"),
    (nn.CTCLoss(2, "sum", True), (X.log_softmax(-1).unsqueeze(1), CLASSES[1:], (2,), (1,)), F.ctc_loss,
     {"blank": 2, "zero_infinity": True}, "sum"),
    (nn.NLLLoss2d(WEIGHT, ignore_index=0), (X, CLASSES), F.nll_loss, {"weight": WEIGHT, "ignore_index": 0}, "mean"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("layer", "inputs", "function", "options", "reduction"), CASES, ids=[type(case[0]).__name__ for case in CASES]
)
def test_losses_equal_their_functions(layer, inputs, function, options, reduction):
    assert layer(*inputs).tolist() == function(*inputs, **options, reduction=reduction).tolist()
    assert layer.reduction == reduction
    assert repr(layer) == f"{type(layer).__name__}()" or len(list(layer.children())) == 1
    assert list(layer.state_dict()) == (["weight"] if "weight" in options else [])


def test_module_as_distance_function():
    layer = nn.TripletMarginWithDistanceLoss(distance_function=nn.PairwiseDistance(1.0))
    assert [name for name, _ in layer.named_children()] == ["distance_function"]
    assert layer(X, Y, X).item() == nn.TripletMarginLoss(p=1.0)(X, Y, X).item()


def test_adaptive_softmax():
    layer = nn.AdaptiveLogSoftmaxWithLoss(4, 10, [2, 5], div_value=2.0, head_bias=True, dtype=ft.float64)
    assert {name: tuple(one.shape) for name, one in layer.state_dict().items()} == {
        "head.weight": (4, 4), "head.bias": (4,), "tail.0.0.weight": (2, 4), "tail.0.1.weight": (3, 2),
        "tail.1.0.weight": (1, 4), "tail.1.1.weight": (5, 1),
    }  # fmt: skip
    assert layer.cutoffs == [2, 5, 10] and repr(layer).startswith("AdaptiveLogSoftmaxWithLoss(\n  (head): Linear(")
    x, target = ft.randn(5, 4, dtype=ft.float64), ft.tensor([9, 0, 4, 1, 2])
    logs = layer.log_prob(x)
    assert logs.exp().sum(1).tolist() == pytest.approx([1] * 5)
    output, loss = layer(x, target)
    assert output.tolist() == pytest.approx(logs.gather(1, target.unsqueeze(1)).squeeze(1).tolist())
    assert loss.item() == pytest.approx(-output.mean().item())
    assert layer.predict(x).tolist() == logs.argmax(1).tolist()
    alone = layer(x[0], target[0])
    assert alone.output.shape == () and alone.loss.item() == pytest.approx(-output[0].item())
    loss.backward()
    grads = [one.grad.clone() for one in layer.parameters()]
    layer.zero_grad()
    (-layer.log_prob(x).gather(1, target.unsqueeze(1)).mean()).backward()
    for one, other in zip(grads, layer.parameters(), strict=True):
        assert (one - other.grad).abs().amax().item() < 1e-12
    before = layer.tail[1][1].weight.clone()
    layer.reset_parameters()
    assert not ft.equal(before, layer.tail[1][1].weight)
    with raises(IndexError, "AdaptiveLogSoftmaxWithLoss", "from 0 to 9", value=10):
        layer(x, target + 1)
    with raises(ValueError, "AdaptiveLogSoftmaxWithLoss", "target (N), or (4,) and ()", value="(5, 4) and (4,)"):
        layer(x, target[1:])


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda: nn.TripletMarginLoss(-1.0), ValueError, "TripletMarginLoss: expected margin > 0; got -1.0"),
        (
            lambda: nn.TripletMarginWithDistanceLoss(margin=0),
            ValueError,
            "TripletMarginWithDistanceLoss: expected margin > 0; got 0",
        ),
        (lambda: nn.MultiMarginLoss(3), ValueError, "MultiMarginLoss: expected p to be 1 or 2; got 3"),
        (lambda: nn.SoftMarginLoss(reduction="avg"), ValueError, "SoftMarginLoss: expected reduction to be ... 'avg'"),
        (lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 10, [2, 2]), ValueError, "AdaptiveLogSoftmaxWithLoss: got [2, 2]"),
        (
            lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 10, [2, 10]),
            ValueError,
            "AdaptiveLogSoftmaxWithLoss: below n_classes 10",
        ),
        (lambda: nn.HingeEmbeddingLoss(X, Y), TypeError, "HingeEmbeddingLoss: expected margin to be a number"),
        (lambda: nn.GaussianNLLLoss(X, Y, Y), TypeError, "GaussianNLLLoss"),
    ],
)
def test_invalid_arguments_raise(make, kind, text):
    with raises(kind, text):
        make()


def classes():
    return ft.tensor([[0.5, 1.0, -1.0], [2.0, 0.0, 0.1]], dtype=ft.float64), ft.tensor([1, 0])


def test_classification_losses():
    x, target = classes()
    logp = x.numpy() - np.log(np.exp(x.numpy()).sum(1, keepdims=True))
    losses = -logp[[0, 1], [1, 0]]
    weight = ft.tensor([1.0, 3.0, 1.0], dtype=ft.float64)
    assert float(nn.CrossEntropyLoss()(x, target)) == pytest.approx(losses.mean())
    assert float(nn.CrossEntropyLoss(reduction="sum")(x, target)) == pytest.approx(losses.sum())
    assert nn.CrossEntropyLoss(reduce=False)(x, target).tolist() == pytest.approx(list(losses))
    assert float(nn.CrossEntropyLoss(weight)(x, target)) == pytest.approx((3 * losses[0] + losses[1]) / 4)
    assert float(nn.CrossEntropyLoss(ignore_index=0)(x, target)) == pytest.approx(losses[0])
    smooth = 0.8 * losses - 0.2 * logp.mean(1)
    assert float(nn.CrossEntropyLoss(label_smoothing=0.2)(x, target)) == pytest.approx(smooth.mean())
    assert float(nn.NLLLoss(weight, ignore_index=0)(ft.tensor(logp), target)) == pytest.approx(losses[0])
    with raises(IndexError, "cross_entropy", "3"):
        nn.CrossEntropyLoss()(x, ft.tensor([1, 3]))


def test_regression_losses():
    x, y = np.array([0.0, 1.0, 5.0]), np.array([0.5, 1.0, 1.0])
    a, b = ft.tensor(x), ft.tensor(y)
    d = abs(x - y)
    assert float(nn.MSELoss()(a, b)) == pytest.approx((d**2).mean())
    assert float(nn.L1Loss(reduction="sum")(a, b)) == pytest.approx(d.sum())
    smooth = np.where(d < 2, d**2 / 4, d - 1)
    assert nn.SmoothL1Loss(beta=2.0, reduction="none")(a, b).tolist() == pytest.approx(list(smooth))
    assert nn.HuberLoss("none", delta=2.0)(a, b).tolist() == pytest.approx(list(2 * smooth))


def test_losses_of_probabilities():
    x, y = np.array([0.2, -1.0, 3.0]), np.array([0.0, 0.7, 1.0])
    p = 1 / (1 + np.exp(-x))
    w = np.array([1.0, 2.0, 0.5])
    losses = -(y * np.log(p) + (1 - y) * np.log(1 - p))
    a, b, weight = ft.tensor(x), ft.tensor(y), ft.tensor(w)
    assert float(nn.BCELoss()(ft.tensor(p), b)) == pytest.approx(losses.mean())
    assert float(nn.BCELoss(weight, reduction="sum")(ft.tensor(p), b)) == pytest.approx((w * losses).sum())
    assert float(nn.BCEWithLogitsLoss(weight)(a, b)) == pytest.approx((w * losses).mean())
    more = -(w * y * np.log(p) + (1 - y) * np.log(1 - p))
    assert float(nn.BCEWithLogitsLoss(pos_weight=weight)(a, b)) == pytest.approx(more.mean())
    target = np.array([[0.3, 0.7], [0.5, 0.5]])
    given = np.log(np.array([[0.6, 0.4], [0.9, 0.1]]))
    divergence = (target * (np.log(target) - given)).sum() / 2
    assert float(nn.KLDivLoss(reduction="batchmean")(ft.tensor(given), ft.tensor(target))) == pytest.approx(divergence)
    logs = nn.KLDivLoss(reduction="sum", log_target=True)(ft.tensor(given), ft.tensor(np.log(target)))
    assert float(logs) == pytest.approx(2 * divergence)
