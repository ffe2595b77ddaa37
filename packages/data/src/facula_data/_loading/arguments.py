"""Checks of a loader's arguments and states; errors name the argument, its value and the expectation."""

from __future__ import annotations

from reprlib import repr as shown
from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import warn

from .. import _checks
from .._datasets.dataset import IterableDataset
from .crew import THREAD

if TYPE_CHECKING:
    from .crew import WorkerSettings

_warned: list[None] = []  # non-empty after the warning about pinned memory


def warn_of_pinning() -> None:
    """Warn once that `pin_memory` has no effect."""
    if not _warned:
        _warned.append(None)
        warn("DataLoader: pin_memory=True has no effect, because there is no device to copy to")


def checked_seeds(generator: object, seed: object) -> Any:
    """Return whichever of `generator` and `seed` was passed, after checking that only one was."""
    if seed is None:
        return generator
    if generator is not None:
        raise InvalidValueError(
            f"DataLoader: expected seed or generator, not both; got seed={seed!r} and {generator!r}"
        )
    return _checks.whole_number("DataLoader", "seed", seed, 0)


def check_extras(
    dataset: object,
    batch_sampler: object,
    settings: WorkerSettings,
    on_error: object,
    seed_globals: bool,
    shard: object,
) -> None:
    """Raise ValueError for options that do not apply to this dataset or these workers."""
    if seed_globals and settings.method == THREAD:
        raise InvalidValueError(
            "DataLoader: threads share random and numpy.random, so seed_globals=True would not make samples "
            'repeatable; pass worker_method="process", or take rng in __getitem__'
        )
    for name, value, absent in (
        ("on_error", on_error, "raise"),
        ("seed_globals", seed_globals, False),
        ("shard", shard, None),
    ):
        if value != absent and isinstance(dataset, IterableDataset):
            raise InvalidValueError(
                f"DataLoader: {name} is for datasets with samples by index; got {name}={value!r} with an "
                "IterableDataset, which can implement it in __iter__ or accept it as an argument, as "
                "TarShards(shard=...)"
            )
    if shard is not None and batch_sampler is not None:
        raise InvalidValueError(f"DataLoader: batch_sampler already determines the batches; got shard={shard!r} too")


def check_callable(**functions: object) -> None:
    """Raise TypeError unless each function is None or callable."""
    for name, function in functions.items():
        if function is not None and not callable(function):
            raise InvalidTypeError(f"DataLoader: expected {name} to be callable; got {name}={function!r}")


def check_dataset(dataset: object, sampler: object, batch_sampler: object) -> None:
    """Raise TypeError unless the dataset can be read by index or iterated, and the samplers can be iterated."""
    if isinstance(dataset, IterableDataset):
        return
    if not hasattr(dataset, "__getitem__"):
        remedy = "; wrap it in an IterableDataset" if hasattr(dataset, "__iter__") else ""
        raise InvalidTypeError(
            "DataLoader: expected a dataset with __getitem__ and __len__, or an IterableDataset; "
            f"got {type(dataset).__name__}{remedy}"
        )
    if sampler is None and batch_sampler is None and not _checks.has_length(dataset):
        raise InvalidTypeError(
            f"DataLoader: expected a dataset with __len__, or a sampler; got {type(dataset).__name__}"
        )
    for name, value in (("sampler", sampler), ("batch_sampler", batch_sampler)):
        if value is not None and not hasattr(value, "__iter__"):
            raise InvalidTypeError(f"DataLoader: expected {name} to be iterable; got {name}={shown(value)}")


def check_exclusive(
    dataset: object, batch_size: object, shuffle: object, sampler: object, batch_sampler: object, drop_last: object
) -> None:
    """Check for arguments that exclude each other; errors name the argument and its value."""
    if shuffle is not None:
        _checks.truth("DataLoader", "shuffle", shuffle)
    _checks.truth("DataLoader", "drop_last", drop_last)
    if batch_size is not None:
        _checks.whole_number("DataLoader", "batch_size", batch_size, 1)
    given = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    if isinstance(dataset, IterableDataset):
        for name, value in given.items():
            if value is not None:
                raise InvalidValueError(
                    f"DataLoader: an IterableDataset has its own order; got {name}={shown(value)} too"
                )
    if batch_sampler is not None:
        also = {**given, "batch_size": None if batch_size == 1 else batch_size, "drop_last": drop_last or None}
        del also["batch_sampler"]
        for name, value in also.items():
            if value is not None:
                raise InvalidValueError(
                    f"DataLoader: batch_sampler already determines the batches; got {name}={shown(value)} too"
                )
    if sampler is not None and shuffle:
        raise InvalidValueError("DataLoader: sampler already determines the order; got shuffle=True too")
    if batch_size is None and drop_last:
        raise InvalidValueError(
            "DataLoader: without batches there is no last one; got drop_last=True with batch_size=None"
        )
