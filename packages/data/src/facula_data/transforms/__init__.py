"""Transforms of pictures in NumPy's arrays, under torchvision's names; datasets of a function of another's samples.

A picture is (..., height, width), or with `layout="HWC"` (height, width, channels); either may be (height, width).
Random ones draw from `rng`, a numpy.random.Generator given by name. Any function with such a parameter is given one by
`Compose` and the datasets: see Note [Random transforms] in `_sampling/sample_rng.py`. May import: what the package may.
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
