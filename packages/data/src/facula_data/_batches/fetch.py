"""Fetching of one batch: read the samples of its indices, collate them, convert the arrays."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

import numpy as np

from facula_errors import InvalidValueError

from .._quick_methods import quick_method
from .._sample_errors import CollateError
from .._sampling.sample_rng import SampleRandom
from .._types import Batch, Collate, Convert, Index, Sample
from .collate import default_collate, default_convert, finishing
from .current_sample import marked
from .reading import LEFT_OUT, Reader, add_sample_note

SHOWN = 8  # indices listed in an error note


class _Empty:
    """The class of EMPTY, which replaces a batch whose samples were all left out; unpickling returns the same one."""

    __slots__ = ()

    def __reduce__(self) -> str:
        return "EMPTY"


EMPTY = _Empty()


class BatchReader:
    """A callable that returns the batch of a list of indices, or EMPTY if all of its samples were left out.

    With the default collation it first tries the dataset's `get_batch`, which replaces a loop over samples by one fancy
    index.
    """

    __slots__ = ("_collate", "_convert", "_dataset", "_read", "_read_list", "_read_whole", "collating")

    collating: float  # seconds that the last collation took

    def __init__(self, read: Reader, collate: Collate, convert: Convert) -> None:
        dataset = read.dataset
        self._read, self._dataset = read, dataset
        self._collate, self._convert = finishing(collate, convert), convert
        self.collating = 0.0
        self._read_list = self._read_whole = None
        if read.is_plain:
            self._read_list = quick_method(dataset, "__getitems__", "__getitem__")
            if collate is default_collate:
                self._read_whole = quick_method(dataset, "get_batch", "__getitem__")

    def __call__(self, indices: Sequence[object] | np.ndarray) -> Batch:
        batch = NotImplemented
        if self._read_whole is not None and len(indices):
            array = as_indices(indices)
            if array is not None:
                batch = self._read_whole(array)
                if batch is not NotImplemented:
                    return default_convert(batch, convert=self._convert)
        chosen = as_list(indices)
        samples = self._samples(chosen)
        if not samples and len(indices):
            return EMPTY
        begun = perf_counter()
        batch = collated(self._collate, samples, chosen)
        self.collating = perf_counter() - begun
        return batch

    def _samples(self, chosen: list[Index]) -> list[Sample]:
        read = self._read
        samples: list[Sample] = []
        if self._read_list is None and read.is_plain:
            dataset = self._dataset
            with SampleRandom(read.seed, read.epoch, None) as random:
                try:
                    for random.index in marked(chosen):
                        random.rng = None
                        samples.append(dataset[random.index])
                except Exception as error:
                    add_sample_note(error, dataset, random.index)
                    raise
            return samples
        if self._read_list is None:
            for index in marked(chosen.copy()):
                sample = read(index)
                if sample is LEFT_OUT:
                    chosen.remove(index)
                else:
                    samples.append(sample)
            return samples
        try:
            samples = self._read_list(chosen)
        except Exception as error:
            error.add_note(f"DataLoader: raised by {type(self._dataset).__name__}.__getitems__({short(chosen)})")
            raise
        if len(samples) != len(chosen):
            raise InvalidValueError(
                f"DataLoader: expected {type(self._dataset).__name__}.__getitems__ to return a sample for each index; "
                f"got {len(samples)} for {len(chosen)} indices ({short(chosen)})"
            )
        return samples


class SampleReader:
    """A callable that returns one sample, for a loader without batches, or EMPTY if the sample was left out."""

    __slots__ = ("_collate", "_read")

    def __init__(self, read: Reader, collate: Collate, convert: Convert) -> None:
        self._read, self._collate = read, finishing(collate, convert)

    def __call__(self, index: object) -> Batch:
        sample = self._read(index)
        return EMPTY if sample is LEFT_OUT else self.finish(sample, index)

    def finish(self, sample: object, index: object) -> Batch:
        """Apply `collate_fn` and `convert` to the sample; `index` is named in errors."""
        return collated(self._collate, sample, [index])


def is_empty(batch: Batch) -> bool:
    """Return whether `batch` is EMPTY."""
    return batch is EMPTY


def collated(collate: Collate, samples: object, indices: list[Index]) -> Batch:
    """Return `collate(samples)`, and add the samples' indices to any error."""
    try:
        return collate(samples)
    except CollateError as error:
        raise error.at(indices) from None
    except Exception as error:
        error.add_note(f"DataLoader: raised while collating the samples {short(indices)} of the dataset")
        raise


def as_indices(indices: Sequence[object] | np.ndarray) -> np.ndarray | None:
    """Return the indices as an array of integers, or None if they are not integers."""
    if isinstance(indices, range):
        return np.arange(indices.start, indices.stop, indices.step)
    array = np.asarray(indices)
    return array if array.ndim == 1 and array.dtype.kind in "iu" else None


def as_list(indices: Sequence[object] | np.ndarray) -> list[Index]:
    """Return the indices as a list of Python integers, or of the sampler's objects."""
    return indices.tolist() if isinstance(indices, np.ndarray) else list(indices)


def short(indices: list[Index]) -> str:
    """Format the first indices for a message."""
    more = f", … ({len(indices)} in all)" if len(indices) > SHOWN else ""
    return f"[{', '.join(map(repr, indices[:SHOWN]))}{more}]"
