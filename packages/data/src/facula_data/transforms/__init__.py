"""Transforms of images in NumPy arrays, with torchvision's names, and datasets that apply a function to samples.

An image has the shape (..., height, width), or with `layout="HWC"` (height, width, channels); both layouts accept
(height, width). Random transforms draw from `rng`, a numpy.random.Generator passed by keyword. `Compose` and the
datasets pass it to any function with such a parameter: see Note [Random transforms] in `_sampling/sample_rng.py`. The
imports are those of the package.
"""

from facula_errors.extend import published as _published

from .._datasets.derived import FilterIterable, MapDataset, MapIterable
from .._sampling.sample_rng import sample_rng
from ._compose import Compose
from ._geometry import CenterCrop, Pad, RandomCrop, RandomHorizontalFlip, RandomVerticalFlip
from ._resize import RandomResizedCrop, Resize
from ._values import Normalize, ToCHW, ToFloat

__all__ = [
    "CenterCrop",
    "Compose",
    "FilterIterable",
    "MapDataset",
    "MapIterable",
    "Normalize",
    "Pad",
    "RandomCrop",
    "RandomHorizontalFlip",
    "RandomResizedCrop",
    "RandomVerticalFlip",
    "Resize",
    "ToCHW",
    "ToFloat",
    "sample_rng",
]


__dir__ = _published(__name__)
