"""Transforms of samples: the names of facula_data.transforms, for NumPy's arrays."""

from facula_data.transforms import (
    CenterCrop,
    Compose,
    FilterIterable,
    MapDataset,
    MapIterable,
    Normalize,
    Pad,
    RandomCrop,
    RandomHorizontalFlip,
    RandomResizedCrop,
    RandomVerticalFlip,
    Resize,
    ToCHW,
    ToFloat,
    sample_rng,
)

from ..._names import publish

__all__ = [
    "CenterCrop", "Compose", "FilterIterable", "MapDataset", "MapIterable", "Normalize", "Pad", "RandomCrop",
    "RandomHorizontalFlip", "RandomResizedCrop", "RandomVerticalFlip", "Resize", "ToCHW", "ToFloat", "sample_rng",
]  # fmt: skip

publish(__name__)
