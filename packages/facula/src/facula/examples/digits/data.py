"""scikit-learn's handwritten digits: 1,797 images of 8 by 8 pixels, some of them held out."""

from __future__ import annotations

from typing import NamedTuple

import facula
from facula.utils.data import Subset, TensorDataset, random_split


class Digits(NamedTuple):
    """All digits, split into those to train on and those that no training uses."""

    everything: TensorDataset
    training: Subset[tuple[facula.Tensor, ...]]
    held_out: Subset[tuple[facula.Tensor, ...]]


def load() -> Digits:
    """Load the images, float32 (1797, 1, 8, 8) between 0 and 1, and their classes, int64 (1797,).

    One fifth is held out: the same digits for every seed. So two runs can be compared, and a digit that is read later
    is known to be new to the network.

    Source: E. Alpaydin, C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository, 1998.
    """
    from sklearn.datasets import load_digits

    pixels, classes = load_digits(return_X_y=True)
    images = facula.from_numpy(pixels).to(facula.float32).reshape(-1, 1, 8, 8) / 16.0
    everything = TensorDataset(images, facula.from_numpy(classes).to(facula.int64))
    training, held_out = random_split(everything, [0.8, 0.2], generator=0)
    return Digits(everything, training, held_out)
