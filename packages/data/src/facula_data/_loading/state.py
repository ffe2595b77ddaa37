"""The state of a loader in its public form: a few integers, validated before use."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from reprlib import repr as shown
from typing import Any

from facula_errors import InvalidValueError

from .. import _checks
from .._batches.passes import Progress
from .._datasets.dataset import IterableDataset
from .._datasets.streams import checked_states
from .._sampling.seeds import checked_seed
from .._types import Source

STATE = ("seed", "epoch", "position")
OPTIONAL_KEYS = {"skipped", "streams", "datasets"}


def loader_state(progress: Progress, seed: int, position: int) -> dict[str, Any]:
    """Return the state of a loader with this progress.

    Arguments:
        progress: the progress of the newest pass.
        seed: the seed of the order.
        position: the position of `progress`, without samples that fill up the last batch of several programs.
    """
    state: dict[str, Any] = {"seed": seed, "epoch": progress.epoch, "position": position}
    if progress.skipped:
        state["skipped"] = [list(pair) for pair in progress.skipped]
    if progress.streams:
        state["streams"] = list(progress.streams)
    if progress.datasets:
        state["datasets"] = [None if dataset is None else pickle.loads(dataset) for dataset in progress.datasets]
    return state


def checked_state(state: Mapping[str, Any], samples: int | None, dataset: Source, workers: int) -> tuple[int, Progress]:
    """Return the seed and the progress that a state describes.

    Arguments:
        state: the argument of `load_state_dict`.
        samples: the number of samples of an epoch, or None if unknown.
        dataset: the dataset of the loader.
        workers: the number of workers of the loader; 0 for this process.

    Raises:
        ValueError: the state does not belong to such a loader.
    """
    if not isinstance(state, Mapping) or set(state) - OPTIONAL_KEYS != set(STATE):
        got = list(state) if isinstance(state, Mapping) else type(state).__name__
        raise InvalidValueError(f"load_state_dict: expected the keys {list(STATE)}; got {got}")
    seed, epoch, position = (_checks.whole_number("load_state_dict", key, state[key], 0) for key in STATE)
    checked_seed("load_state_dict", seed)
    if epoch >= 1 << 63:
        raise InvalidValueError(f"load_state_dict: expected epoch to be below 2**63; got epoch={epoch}")
    if samples is not None and position > samples:
        raise InvalidValueError(
            f"load_state_dict: expected position to be at most {samples}, the samples of an epoch; "
            f"got position={position}; was the state taken with another dataset?"
        )
    skipped = checked_skipped(state.get("skipped", ()), position)
    streamed = workers if isinstance(dataset, IterableDataset) else 0
    streams = checked_streams(state.get("streams", ()), position, streamed)
    datasets = checked_states(state.get("datasets"), position, streamed or 1, dataset)
    return seed, Progress(epoch, position, skipped=skipped, streams=streams, datasets=datasets)


def checked_skipped(skipped: Any, position: int) -> tuple[tuple[int, int], ...]:
    """Return pairs of positions after checking that they are ordered and do not exceed `position`."""
    pairs = []
    least = 0
    for pair in skipped if isinstance(skipped, (list, tuple)) else [skipped]:
        whole = isinstance(pair, (list, tuple)) and len(pair) == 2 and all(type(place) is int for place in pair)
        if not whole or not least <= pair[0] < pair[1] <= position:
            raise InvalidValueError(
                "load_state_dict: expected skipped to be pairs [begin, end] of positions, in order, up to "
                f"position={position}; got {shown(pair)}"
            )
        pairs.append((pair[0], pair[1]))
        least = pair[1]
    return tuple(pairs)


def checked_streams(streams: Any, position: int, workers: int) -> tuple[int, ...]:
    """Return the samples that each of `workers` delivered and the next worker's index; () if there are no streams.

    Raises:
        ValueError: the number of workers differs, so their streams had other parts, or the numbers are inconsistent.
    """
    numbers = tuple(streams) if isinstance(streams, (list, tuple)) else (None,)
    if position and len(numbers) != (workers + 1 if workers else 0):
        raise InvalidValueError(
            f"load_state_dict: the state is of {len(numbers) - 1 if numbers else 'no'} workers that iterated a "
            f"dataset, each its own copy; a loader with num_workers={workers} cannot go on from the middle of their "
            "epoch; use as many workers, or start a new epoch"
        )
    if not position:
        return ()
    whole = all(type(number) is int and number >= 0 for number in numbers)
    if numbers and not (whole and sum(numbers[:-1]) == position and numbers[-1] < workers):
        raise InvalidValueError(
            f"load_state_dict: expected streams to be the samples of each worker, {position} in all, and a worker's "
            f"number; got {shown(streams)}"
        )
    return numbers
