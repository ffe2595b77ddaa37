"""Reading one digit with a saved network: from the data set, or from an image file."""

from __future__ import annotations

import os

import numpy as np

import facula
from facula.nn import functional as F

from . import data
from .network import Network

SHADES = " .:-=+*#%@"
SURE = 0.6  # 199 of 200 held-out digits are read with a higher probability
FAR = 2.5  # all held-out digits are nearer than 1.9 to one of the training set; letters and noise are 2.6 and more away


def load(checkpoint: str) -> Network:
    """Load the network from a checkpoint. ValueError, with the file's name, if it is not this program's."""
    kept = facula.load(checkpoint)
    network = Network()
    try:
        network.load_state_dict(kept["network"])
    except (KeyError, TypeError, RuntimeError) as error:
        raise ValueError(f"{checkpoint}: holds no network of this program; train one with it") from error
    name = network.not_finite()
    if name:
        raise ValueError(f"{checkpoint}: {name} holds numbers that are not finite, so it reads nothing; train again")
    return network.eval()


def find(what: str) -> tuple[facula.Tensor, str]:
    """Return an image, (8, 8) between 0 and 1, and its description: `what` is an index of the data set, or a file."""
    if os.path.exists(what) or not what.lstrip("-").isdecimal():
        return from_file(what), f"the image {what}"
    digits = data.load()
    count, index = len(digits.everything), int(what)
    if not 0 <= index < count:
        raise ValueError(f"--read: expected a number from 0 to {count - 1}, or an image file; got {what}")
    image, label = digits.everything[index]
    seen = "held out of training" if index in digits.held_out.indices else "one of those trained on"
    article = "an" if label.item() == 8 else "a"
    return image[0], f"digit {index} of the data set, {article} {label.item()}, {seen}"


def from_file(path: str) -> facula.Tensor:
    """Convert an image file to the data set's form: bright ink on black, cropped, 8 rows high, centred.

    The colour of the image's border is the paper; pixels that differ from it are ink. ValueError if there are none.
    """
    from matplotlib.image import imread

    try:
        picture: np.ndarray = np.asarray(imread(path), dtype=np.float32)
    except FileNotFoundError:
        raise
    except Exception as error:  # decoders raise various exceptions for damaged files
        raise ValueError(f"{path}: cannot be read as an image: {error}") from error
    picture /= max(1.0, float(picture.max()))
    if picture.ndim == 3:  # colours, the fourth of which is the opacity on white paper
        seen = picture[..., 3:] if picture.shape[2] in (2, 4) else 1.0
        picture = (picture[..., : 3 if picture.shape[2] > 2 else 1] * seen + (1.0 - seen)).mean(2)
    border = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])
    ink = np.abs(picture - np.median(border))
    if not ink.max() >= 0.1:  # so NaN is refused too
        raise ValueError(f"{path}: shows no digit; expected ink and paper that differ in brightness")
    inked = ink > 0.4 * ink.max()
    rows, columns = np.flatnonzero(inked.any(1)), np.flatnonzero(inked.any(0))
    cut = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    times = -(-64 // max(cut.shape))  # enlarge a small one, so that 8 by 8 fields divide it nearly evenly
    cut = cut.repeat(times, 0).repeat(times, 1)
    high, wide = cut.shape
    side = max(high, wide)
    square = np.pad(cut, [((side - length) // 2, (side - length + 1) // 2) for length in (high, wide)])
    small = F.adaptive_avg_pool2d(facula.from_numpy(square)[None, None], 8)[0, 0]
    return small / small.max()


def show(image: facula.Tensor) -> str:
    """Return the image as characters, two per pixel.

    >>> print(show(facula.tensor([[0.0, 1.0], [0.6, 0.2]])))
      @@
    ++::
    """
    rows = (image * (len(SHADES) - 1)).tolist()
    return "\n".join("".join(2 * SHADES[round(shade)] for shade in row) for row in rows)


def strangeness(image: facula.Tensor) -> float:
    """Return the Euclidean distance from the nearest digit of the training set."""
    known = data.load().training
    images = known.dataset.tensors[0][facula.tensor(known.indices)]
    return float((images - image).square().sum((1, 2, 3)).min().sqrt())


def report(network: Network, image: facula.Tensor) -> str:
    """Print the digit that the network reads, the probability of each, and a warning if the result is unreliable."""
    with facula.no_grad():
        chances = F.softmax(network(image[None, None]), 1)[0].tolist()
    lines = [
        f"{digit}  {100 * chance:5.1f} %  {'#' * round(40 * chance)}".rstrip() for digit, chance in enumerate(chances)
    ]
    warnings = []
    if strangeness(image) > FAR:
        warnings.append("careful: this is like none of the digits that it learnt from, and may be no digit")
    elif max(chances) < SURE:
        warnings.append("careful: the network is not sure")
    return "\n".join([*lines, "", *warnings, f"read as {max(range(10), key=chances.__getitem__)}"])
