"""Cases of losses with each reduction: of two tensors, of classes, with margins, of likelihoods."""

from __future__ import annotations

import math

import numpy as np
from case import FLOATS, Case

import facula_tensor as ft
import facula_tensor.functional as F

SIGNS = np.array([1.0, -1.0, 1.0, -1.0])
CLASSES = np.array([2, 0, 1, 2])
LABELS = np.array([[2, 0, -1], [-1, 1, 1], [0, 1, 2], [1, -1, 1]])
COUNTS = np.array([[0.0, 1.0, 5.0], [2.0, 0.0, 1.0], [3.0, 3.0, 0.0], [1.0, 7.0, 2.0]])
WEIGHT = np.array([0.5, 2.0, 3.0])
REDUCED = {"none": lambda losses: losses, "mean": lambda losses: losses.mean(), "sum": lambda losses: losses.sum()}


def reductions(name, function, losses, **given):
    """Make cases of a loss, one for each reduction, from the losses of the elements."""
    given = {
        "arity": 2, "dtypes": FLOATS, "gradient": ("float64",), "loose": 10, "rejects": False,
        "layouts": ("contiguous", "transposed", "sliced", "offset"), **given,
    }  # fmt: skip
    given.setdefault("shapes", ((4, 3),) * given["arity"])
    return [
        Case(
            f"{name}({how})",
            lambda *tensors, how=how: function(*tensors, reduction=how),
            lambda *arrays, reduced=reduced: reduced(np.asarray(losses(*arrays))),
            **given,
        )
        for how, reduced in REDUCED.items()
    ]


def as_(x, values):
    """Return fixed values in the dtype and on the device of a tensor."""
    return ft.tensor(values, dtype=x.dtype, device=x.device)


def at(x, places):
    """Return fixed integers on the device of a tensor."""
    return ft.tensor(places, device=x.device)


def cross_entropy_of(p, y):
    return -(y * np.log(p) + (1 - y) * np.log(1 - p))


def log_softmax(x):
    shifted = x - x.max(1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(1, keepdims=True))


PROBABLE = {"domain": (0.05, 0.95)}
PAIRS = [
    *reductions("mse_loss", F.mse_loss, lambda x, y: (x - y) ** 2),
    *reductions("l1_loss", F.l1_loss, lambda x, y: np.abs(x - y)),
    *reductions(
        "huber_loss",
        lambda x, y, **o: F.huber_loss(x, y, delta=0.3, **o),
        lambda x, y: np.where(np.abs(x - y) < 0.3, (x - y) ** 2 / 2, 0.3 * (np.abs(x - y) - 0.15)),
    ),
    *reductions(
        "smooth_l1_loss",
        lambda x, y, **o: F.smooth_l1_loss(x, y, beta=0.3, **o),
        lambda x, y: np.where(np.abs(x - y) < 0.3, (x - y) ** 2 / 0.6, np.abs(x - y) - 0.15),
    ),
    *reductions("binary_cross_entropy", F.binary_cross_entropy, cross_entropy_of, **PROBABLE, loose=20),
    *reductions(
        "binary_cross_entropy_with_logits",
        F.binary_cross_entropy_with_logits,
        lambda x, y: cross_entropy_of(1 / (1 + np.exp(-x)), y),
        **PROBABLE,
    ),
    *reductions("kl_div", F.kl_div, lambda x, y: y * (np.log(y) - x), **PROBABLE),
    *reductions(
        "kl_div of logarithms",
        lambda x, y, **o: F.kl_div(x, y.log(), log_target=True, **o),
        lambda x, y: y * (np.log(y) - x),
        **PROBABLE,
        loose=20,
    ),
]


def weighted(logs):
    """Return weighted losses of classes whose mean is divided by the weights."""
    return -np.take_along_axis(logs, CLASSES[:, None], 1)[:, 0] * WEIGHT[CLASSES]


SINGLE = {"arity": 1, "dtypes": ("float32", "float64")}
ENTROPY = [
    *reductions(
        "cross_entropy",
        lambda x, **o: F.cross_entropy(x, at(x, CLASSES), label_smoothing=0.3, **o),
        lambda x: -0.7 * np.take_along_axis(log_softmax(x), CLASSES[:, None], 1)[:, 0] - log_softmax(x).sum(1) / 10,
        **SINGLE,
    ),
    *reductions(
        "cross_entropy of probabilities",
        lambda x, y, **o: F.cross_entropy(x, y, **o),
        lambda x, y: -(log_softmax(x) * y).sum(1),
        **{**SINGLE, "arity": 2, **PROBABLE},
    )[::2],  # the mean is over rows
    *reductions(
        "nll_loss by weight",
        lambda x, **o: F.nll_loss(x, at(x, CLASSES), as_(x, WEIGHT), **o),
        weighted,
        **SINGLE,
    )[::2],  # the mean is over weights
    Case(
        "nll_loss by weight(mean)",
        lambda x: F.nll_loss(x, at(x, [2, 0, -100, 2]), as_(x, WEIGHT)),
        lambda x: weighted(x)[[0, 1, 3]].sum() / WEIGHT[[2, 0, 2]].sum(),
        shapes=((4, 3),),
        dtypes=("float32", "float64"),
        gradient=("float64",),
        loose=10,
        rejects=False,
    ),
]


def above(x):
    return np.maximum(x, 0)


def distance(a, b, p=2, eps=1e-6):
    return (np.abs(a - b + eps) ** p).sum(-1) ** (1 / p)


def cosine(a, b):
    return (a * b).sum(-1) / np.sqrt((a * a).sum(-1) * (b * b).sum(-1))


def multi_margin(x, y, p=1, margin=1.0, weight=None):
    losses = np.zeros(len(x))
    for n, target in enumerate(y):
        for i in range(x.shape[1]):
            if i != target:
                term = above(margin - x[n, target] + x[n, i]) ** p / x.shape[1]
                losses[n] += term if weight is None else term * weight[target]
    return losses


def multilabel_margin(x, y):
    losses = np.zeros(len(x))
    for n, row in enumerate(y):
        targets = list(row[: list(row).index(-1)] if -1 in row else row)
        for target in targets:
            losses[n] += sum(above(1 - x[n, target] + x[n, i]) for i in range(x.shape[1]) if i not in targets)
    return losses / x.shape[1]


def stirling(y):
    safe = np.where(y > 1, y, 1)
    return np.where(y > 1, safe * np.log(safe) - safe + np.log(2 * math.pi * safe) / 2, 0)


ONE, THREE = {"arity": 1}, {"arity": 3}
MARGINS = [
    *reductions(
        "hinge_embedding_loss",
        lambda x, **o: F.hinge_embedding_loss(x, as_(x, SIGNS).unsqueeze(1), 0.5, **o),
        lambda x: np.where(SIGNS[:, None] == 1, x, above(0.5 - x)),
        **ONE,
    ),
    *reductions(
        "margin_ranking_loss",
        lambda x, y, **o: F.margin_ranking_loss(x, y, as_(x, SIGNS).unsqueeze(1), 0.3, **o),
        lambda x, y: above(-SIGNS[:, None] * (x - y) + 0.3),
    ),
    *reductions(
        "cosine_embedding_loss",
        lambda x, y, **o: F.cosine_embedding_loss(x, y, as_(x, SIGNS), -0.5, **o),
        lambda x, y: np.where(SIGNS == 1, 1 - cosine(x, y), above(cosine(x, y) + 0.5)),
    ),
    *reductions(
        "triplet_margin_loss",
        F.triplet_margin_loss,
        lambda a, p, n: above(distance(a, p) - distance(a, n) + 1),
        **THREE,
    ),
    *reductions(
        "triplet_margin_loss with swap",
        lambda *xs, **o: F.triplet_margin_loss(*xs, margin=0.4, p=3, swap=True, **o),
        lambda a, p, n: above(distance(a, p, 3) - np.minimum(distance(a, n, 3), distance(p, n, 3)) + 0.4),
        **THREE,
    ),
    *reductions(
        "triplet_margin_with_distance_loss",
        lambda *xs, **o: F.triplet_margin_with_distance_loss(
            *xs, distance_function=lambda a, b: ((a - b) ** 2).sum(-1), margin=0.7, swap=True, **o
        ),
        lambda a, p, n: above(
            ((a - p) ** 2).sum(-1) - np.minimum(((a - n) ** 2).sum(-1), ((p - n) ** 2).sum(-1)) + 0.7
        ),
        **THREE,
    ),
    *reductions(
        "multi_margin_loss",
        lambda x, **o: F.multi_margin_loss(x, at(x, CLASSES), margin=0.5, **o),
        lambda x: multi_margin(x, CLASSES, margin=0.5),
        **ONE,
        meta=False,
    ),
    *reductions(
        "multi_margin_loss with weights",
        lambda x, **o: F.multi_margin_loss(x, at(x, CLASSES), 2, weight=as_(x, WEIGHT), **o),
        lambda x: multi_margin(x, CLASSES, 2, weight=WEIGHT),
        **ONE,
        meta=False,
    ),
    *reductions(
        "multilabel_margin_loss",
        lambda x, **o: F.multilabel_margin_loss(x, at(x, LABELS), **o),
        lambda x: multilabel_margin(x, LABELS),
        **ONE,
        meta=False,
    ),
    *reductions(
        "multilabel_soft_margin_loss",
        lambda x, **o: F.multilabel_soft_margin_loss(x, as_(x, COUNTS % 2), **o),
        lambda x: (np.log1p(np.exp(x)) - COUNTS % 2 * x).mean(-1),
        **ONE,
    ),
    *reductions(
        "soft_margin_loss",
        lambda x, **o: F.soft_margin_loss(x, as_(x, SIGNS).unsqueeze(1).expand(4, 3), **o),
        lambda x: np.log1p(np.exp(-SIGNS[:, None] * x)),
        **ONE,
    ),
    *reductions(
        "poisson_nll_loss",
        lambda x, **o: F.poisson_nll_loss(x, as_(x, COUNTS), full=True, **o),
        lambda x: np.exp(x) - COUNTS * x + stirling(COUNTS),
        **ONE,
    ),
    *reductions(
        "poisson_nll_loss of expectations",
        lambda x, y, **o: F.poisson_nll_loss(x.exp(), y, log_input=False, eps=0.01, **o),
        lambda x, y: np.exp(x) - y * np.log(np.exp(x) + 0.01),
    ),
    *reductions(
        "gaussian_nll_loss",
        lambda x, y, v, **o: F.gaussian_nll_loss(x, y, v.exp(), full=True, **o),
        lambda x, y, v: (v + (x - y) ** 2 / np.exp(v) + math.log(2 * math.pi)) / 2,
        **THREE,
        meta=False,
        batching=False,  # it checks for negative variances
    ),
    *reductions(
        "gaussian_nll_loss of rows",
        lambda x, y, v, **o: F.gaussian_nll_loss(x, y, v.exp()[:, 0], **o),
        lambda x, y, v: (v[:, :1] + (x - y) ** 2 / np.exp(v[:, :1])) / 2,
        **THREE,
        meta=False,
        batching=False,  # it checks for negative variances
    ),
    *reductions(
        "gaussian_nll_loss of columns",
        lambda x, y, v, **o: F.gaussian_nll_loss(x, y, v.exp()[:1], **o),
        lambda x, y, v: (v[:1] + (x - y) ** 2 / np.exp(v[:1])) / 2,
        **THREE,
        meta=False,
        batching=False,  # it checks for negative variances
    ),
]

LOSSES = [*PAIRS, *ENTROPY, *MARGINS]
