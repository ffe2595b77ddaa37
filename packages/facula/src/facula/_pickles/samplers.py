"""Differences between our attributes of datasets and samplers and PyTorch's: `THEIRS` and `OURS`.

Samplers have a seed where PyTorch's draw from a generator. A known seed is written, and PyTorch ignores it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from facula_checkpoint.extend import expect, refuse
from facula_tensor import Generator, Tensor, from_numpy

from .later import ABSENT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    State = dict[str, Any]
    Attributes = dict[str, Callable[[Any], Any]]


def generator_of(sampler: Any) -> Generator | None:
    """Return the generator of PyTorch's object; None if it only has a seed."""
    return sampler.generator if isinstance(sampler.generator, Generator) else None


def _seed(sampler: Any) -> int:
    if sampler._seed is None and isinstance(sampler.generator, (int, np.integer)):
        return int(sampler.generator)
    return sampler.seed  # type: ignore[no-any-return]


def seed_of(sampler: Any) -> Any:
    """Return the seed, if it was drawn or the file's generator cannot draw it."""
    known = sampler._seed is not None or (sampler.generator is not None and generator_of(sampler) is None)
    return _seed(sampler) if known else ABSENT


def number(state: State, name: str, bits: int) -> int | None:
    """Return an integer attribute from 0 to 2**bits - 1, or None if it is absent; PickleError for other values."""
    found = state.get(name)
    if found is not None and not (type(found) is int and 0 <= found < 1 << bits):
        refuse(f"its pickle has {found!r:.60} for {name}; expected an integer from 0 to 2**{bits} - 1")
    return found


_MAX_DISTANCE = 1 << 61  # the largest distance of a range's ends and step from 0


def _vector(name: str, kinds: str) -> Callable[[State], NDArray[Any] | range]:
    """Return an attribute as a one-dimensional array. For a tensor it shares memory, which may be read later.

    A range of integers remains a range: a short text in a file may describe more numbers than memory can store.
    """

    def found(state: State) -> NDArray[Any] | range:
        value = state.get(name)
        if type(value) is range and "i" in kinds:
            if max(abs(value.start), abs(value.stop), abs(value.step)) > _MAX_DISTANCE:
                refuse(f"its pickle has {value!r:.60} for {name} of a sampler, which is out of range")
            return value
        given = value.numpy() if isinstance(value, Tensor) else value
        if type(given) is not np.ndarray:
            values = expect(given, (list, tuple), name)
            if not all(
                [isinstance(number, (int, float, np.number)) for number in values]
            ):  # nested lists may be shared
                refuse(f"its pickle has {name} of a sampler that are not all numbers")
            given = np.asarray(values or np.zeros(0, np.int64))
        if given.ndim != 1 or given.dtype.kind not in kinds:
            refuse(f"its pickle has {given.dtype} {given.shape} for {name} of a sampler; expected one dimension")
        return given

    return found


def _plain_indices(sampler: Any) -> list[int] | range:
    return sampler.indices if isinstance(sampler.indices, range) else sampler.indices.tolist()  # type: ignore[no-any-return]


def copied(*states: Any) -> Iterator[Any]:
    """Yield the parts of samplers' states that are copied."""
    for state in states:
        if isinstance(state, dict):
            yield from [state.get(name) for name in ("indices", "weights")]


THEIRS: dict[str, Attributes] = {
    "StackDataset": {"_length": len},
    "_RandomOrder": {
        "generator": generator_of,
        "_seed": seed_of,
        "_passes": lambda sampler: sampler._passes or ABSENT,
    },
    "SubsetRandomSampler": {"indices": _plain_indices},
    "WeightedRandomSampler": {"weights": lambda sampler: from_numpy(sampler.weights)},
    "DistributedSampler": {"seed": _seed, "epoch": lambda sampler: sampler.epoch or 0},
}
OURS: dict[str, Attributes] = {
    "_RandomOrder": {
        "generator": lambda state: expect(state.get("generator"), (Generator, type(None)), "a generator"),
        "_seed": lambda state: number(state, "_seed", 64),
        "_passes": lambda state: number(state, "_passes", 62) or 0,
    },
    "SubsetRandomSampler": {"indices": _vector("indices", "iu")},
    "WeightedRandomSampler": {"weights": _vector("weights", "f")},
    "DistributedSampler": {
        "generator": lambda state: number(state, "seed", 64),
        "_seed": lambda state: None,
        "epoch": lambda state: number(state, "epoch", 62) or None,
    },
}
