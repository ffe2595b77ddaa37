"""The nine models: how each is built, sizes for tests, and the number of steps in a round.

Sizes of the published run are the defaults of each model's function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from . import images, ranking, recurrent, transformers
from .training import Training


class Model(NamedTuple):
    """A model: its title, `build(F, **sizes)`, and sizes that a test can afford.

    `steps` is the number of steps in a round. `target` is the largest ratio of the step times of facula and PyTorch
    that is good enough.
    """

    title: str
    build: Callable[..., Training]
    small: dict[str, Any]
    steps: int
    target: float
    batch: str
    convolutions: bool = False


SMALL_IMAGES = {"batch": 4, "width": 0.125, "classes": 10}
MODELS = {
    "alexnet": Model(
        "AlexNet", images.alexnet, {**SMALL_IMAGES, "size": 64, "hidden": 32, "rate": 0.01}, 1, 0.75,
        "32 images of 224x224", True,
    ),
    "vgg19": Model(
        "VGG-19", images.vgg19, {**SMALL_IMAGES, "size": 32, "hidden": 32, "rate": 0.01}, 1, 0.5,
        "4 images of 224x224", True,
    ),
    "resnet50": Model(
        "ResNet-50", images.resnet50, {**SMALL_IMAGES, "size": 32, "rate": 1e-3}, 1, 0.8, "8 images of 224x224", True
    ),
    "mobilenet": Model(
        "MobileNet", images.mobilenet, {**SMALL_IMAGES, "batch": 16, "size": 64, "rate": 1e-6}, 1, 0.75,
        "16 images of 224x224", True,
    ),
    "gnmt": Model(
        "GNMTv2", recurrent.gnmt, {"batch": 2, "length": 5, "words": 30, "width": 16}, 2, 0.8,
        "16 sentences of 25 words, vocabulary 8,000, width 512",
    ),
    "ncf": Model(
        "NCF", ranking.ncf, {"batch": 32, "users": 50, "items": 40, "factors": 4, "widths": (16, 8, 4)}, 3, 0.4,
        "4,096 pairs of 138,493 users and 26,744 items",
    ),
    "lstm": Model(
        "LSTM language model", recurrent.language_model, {"batch": 2, "length": 5, "words": 30, "width": 16}, 2, 0.8,
        "20 texts of 35 words, vocabulary 10,000, width 400",
    ),
    "gpt": Model(
        "GPT, 6 layers, width 384", transformers.gpt,
        {"batch": 2, "length": 8, "tokens": 30, "width": 16, "layers": 2, "heads": 2}, 1, 0.85,
        "4 texts of 256 tokens, vocabulary 4,096",
    ),
    "vit": Model(
        "ViT-small", transformers.vit,
        {"batch": 2, "size": 32, "patch": 8, "width": 16, "layers": 2, "heads": 2, "classes": 10}, 1, 0.9,
        "8 images of 224x224",
    ),
}  # fmt: skip
