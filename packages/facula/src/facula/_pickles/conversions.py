"""Classes whose instances differ from PyTorch's: loaders, gradient scalers, generators and Sobol engines.

Each is written with PyTorch's attributes, and rebuilt by its constructor when it is loaded.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from facula_checkpoint.extend import attributes, expect, refuse
from facula_errors import OperationError
from facula_tensor import Generator, Tensor, from_numpy
from facula_tensor.extend.sampling import derived_seed, state_pair

from .attributes import settable_of
from .later import ABSENT
from .samplers import generator_of, number, seed_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from facula_checkpoint.extend import CheckpointPickler

    State = dict[str, Any]
    Works = list[Callable[[], None]] | None


class Conversion(NamedTuple):
    """Converter of a class's instances to PyTorch's form and back.

    `theirs` are attributes that only PyTorch's instances have. `bare` creates an instance, whose attributes are ours.
    Other attributes that a program has set are kept. `is_own` identifies instances without an equivalent in PyTorch:
    they are written under the name `own`.
    """

    written: Callable[[Any, CheckpointPickler], State]
    fill: Callable[[Any, State, Works], None]
    theirs: tuple[str, ...]
    bare: Callable[[], Any]
    own: str = ""
    is_own: Callable[[Any], bool] = lambda instance: False


def conversion(name: str) -> Conversion | None:
    """Return the conversion of the class with PyTorch's name `name`."""
    return _CONVERSIONS.get(name)


def write_converted(converted: Conversion, instance: Any, pickler: CheckpointPickler, given: State) -> State:
    """Return PyTorch's attributes of an instance, and those of `given` that the program has set."""
    state = converted.written(instance, pickler)
    return {**given_by_program(converted, given, state), **state}


def given_by_program(converted: Conversion, given: State, *others: State) -> State:
    """Return the attributes that neither PyTorch's instances nor ours have."""
    known = {*converted.theirs, *vars(converted.bare())}.union(*others)
    return {name: value for name, value in given.items() if name not in known}


def fill_converted(converted: Conversion, instance: Any, state: Any, later: Works = None) -> None:
    """Set a file's attributes on a new instance.

    `later` collects work that needs tensor elements, before they are read; None if they have been read.
    """
    kind = type(instance)
    state = expect(state, (dict, OrderedDict), f"the attributes of a {kind.__name__}")
    more = attributes(settable_of(kind), given_by_program(converted, state))
    converted.fill(instance, state, later)
    vars(instance).update(more)


# Loaders -------------------------------------------------------------------------------------------------------------


class Endless:
    """The sampler of PyTorch's loaders for an IterableDataset: an endless iterator over None."""

    def __iter__(self) -> Iterator[Any]:
        return repeat(None)


# Options that only our loaders have, with their defaults: written if they differ. PyTorch ignores them.
_OPTIONS: State = {"on_error": "raise", "seed_globals": False, "worker_method": "process", "shard": None}


def _written_loader(loader: Any, pickler: CheckpointPickler) -> State:
    import facula_data
    from facula_data.extend import Native

    from ..utils import data

    sampler, batches = loader.sampler, loader.batch_sampler if loader.shard is None else None
    if isinstance(loader.dataset, data.IterableDataset):
        sampler = Endless()
        batches = None if loader.batch_size is None else data.BatchSampler(sampler, loader.batch_size, loader.drop_last)
    elif sampler is None:
        sampler = data.SequentialSampler(loader.dataset)
    collate = loader.collate_fn
    for name in ("default_collate", "default_convert"):
        if collate is getattr(facula_data, name):
            collate = getattr(data, name)
    context = loader.multiprocessing_context
    state = {
        "dataset": loader.dataset,
        "num_workers": loader.num_workers,
        "prefetch_factor": loader.prefetch_factor,
        "pin_memory": loader.pin_memory,
        "pin_memory_device": loader.pin_memory_device,
        "timeout": loader.timeout,
        "worker_init_fn": loader.worker_init_fn,
        "_DataLoader__multiprocessing_context": None if context is None else _context(context),
        "in_order": loader.in_order,
        "_dataset_kind": loader._dataset_kind,
        "batch_size": loader.batch_size,
        "drop_last": loader.drop_last,
        "sampler": sampler,
        "batch_sampler": batches,
        "generator": generator_of(loader),
        "collate_fn": collate,
        "persistent_workers": loader.persistent_workers,
        "_DataLoader__initialized": True,
        "_IterableDataset_len_called": None,
        "_iterator": None,
    }
    state |= {name: value for name, default in _OPTIONS.items() if (value := getattr(loader, name)) != default}
    if loader.meter is not None:
        state["meter"] = True
    if not isinstance(loader.convert, (Native, type(None))):
        state["convert"] = loader.convert
    if loader._seeded() is loader and (seed := seed_of(loader)) is not ABSENT:
        state["_seed"] = seed
    progress = loader._progress
    if progress.begun:
        state["_progress"] = {"seed": loader.state_dict()["seed"], "epoch": progress.epoch + 1, "position": 0}
    elif progress.epoch or progress.position:
        state["_progress"] = loader.state_dict()
    return state


def _context(given: Any) -> Any:
    """Return the multiprocessing context for a start method, or for a context of another class."""
    from multiprocessing import get_context

    return get_context(given if isinstance(given, str) else given.get_start_method())


def _fill_loader(loader: Any, state: State, later: Works) -> None:
    from ..utils.data import DataLoader, IterableDataset

    dataset, size, batches = state["dataset"], state.get("batch_size"), state.get("batch_sampler")
    named = ["on_error", "seed_globals", "worker_method", "meter", "convert", "pin_memory", "timeout", "in_order"]
    named += ["shard", "worker_init_fn", "generator", "prefetch_factor", "persistent_workers", "pin_memory_device"]
    given = {name: state[name] for name in named if name in state}
    if isinstance(dataset, IterableDataset):
        given |= {"batch_size": size, "drop_last": state.get("drop_last", False)}
    elif size is None and batches is not None:
        given["batch_sampler"] = batches
    else:
        given |= {"batch_size": size, "sampler": state.get("sampler")}
        given["drop_last"] = state.get("drop_last", False) if size is not None else False
    given["multiprocessing_context"] = state.get("_DataLoader__multiprocessing_context")
    given |= {"num_workers": state.get("num_workers", 0), "collate_fn": state.get("collate_fn")}
    DataLoader.__init__(loader, dataset, **given)
    if "_progress" in state:
        DataLoader.load_state_dict(loader, expect(state["_progress"], dict, "the state of a DataLoader"))
    loader._seed = number(state, "_seed", 64)


def _bare_loader() -> Any:
    from ..utils.data import DataLoader

    return DataLoader([0])


# Sobol sequences: SciPy's engines, under other names ------------------------------------------------------------------


def _written_sobol(sobol: Any, pickler: CheckpointPickler) -> State:
    engine = sobol._engine
    state = {name: from_numpy(np.array(getattr(engine, own), np.int64)) for name, own in _SOBOL.items()}
    kept = {"seed": sobol.seed, "scramble": sobol.scramble, "dimension": sobol.dimension}
    first = from_numpy(np.array(engine._first_point, np.float32))
    return {**kept, **state, "_first_point": first, "num_generated": sobol.num_generated}


def _fill_sobol(sobol: Any, state: State, later: Works) -> None:
    from ..quasirandom import SobolEngine

    dimension, scramble = number(state, "dimension", 62) or 0, expect(state.get("scramble"), bool, "scramble")
    SobolEngine.__init__(sobol, dimension)
    sobol.scramble, sobol.seed = scramble, number(state, "seed", 64)
    engine, drawn = sobol._engine, number(state, "num_generated", sobol.MAXBIT) or 0
    given = {own: expect(state.get(name), Tensor, name) for name, own in _SOBOL.items()}

    def finish() -> None:
        for own, value in given.items():
            there = getattr(engine, own)
            if value.shape != there.shape or int(value.min()) < 0 or int(value.max()) >= 1 << sobol.MAXBIT:
                refuse("its pickle has a SobolEngine of other numbers than its dimension has")
            setattr(engine, own, value.cpu().numpy().astype(there.dtype))
        engine._first_point = (engine._shift * engine._scale).reshape(1, -1)
        engine.num_generated = drawn

    finish() if later is None else later.append(finish)


def _bare_sobol() -> Any:
    from ..quasirandom import SobolEngine

    return SobolEngine(1)


_SOBOL = {"sobolstate": "_sv", "quasi": "_quasi", "shift": "_shift"}


# Gradient scalers ----------------------------------------------------------------------------------------------------


def refreshed() -> State:
    """Return the state of an optimizer that a scaler has not seen yet, in PyTorch's form."""
    return {"stage": 0, "found_inf_per_device": {}}


def _written_scaler(scaler: Any, pickler: CheckpointPickler) -> State:
    if not scaler.is_enabled():
        return {"_device": scaler._device, "_enabled": False}
    if scaler._states:
        raise OperationError("save: a GradScaler is between step() and update(); call update(), then save it")
    return {
        "_device": scaler._device,
        "_enabled": True,
        "_init_scale": scaler.get_scale(),
        "_scale": None,
        "_growth_factor": scaler.get_growth_factor(),
        "_backoff_factor": scaler.get_backoff_factor(),
        "_growth_interval": scaler.get_growth_interval(),
        "_init_growth_tracker": int(scaler._growth_tracker),
        "_growth_tracker": None,
        "_per_optimizer_states": defaultdict(pickler.global_of(REFRESH)),
    }


def _fill_scaler(scaler: Any, state: State, later: Works) -> None:
    from ..amp import GradScaler

    names = ("init_scale", "growth_factor", "backoff_factor", "growth_interval")
    given = {name: expect(state[f"_{name}"], (int, float), name) for name in names if f"_{name}" in state}
    enabled = expect(state.get("_enabled"), bool, "whether a GradScaler is enabled")
    GradScaler.__init__(scaler, expect(state.get("_device", "cuda"), str, "a device"), **given, enabled=enabled)
    scaler._growth_tracker.fill_(number(state, "_init_growth_tracker", 62) or 0)


REFRESH = "torch.amp.grad_scaler _refresh_per_optimizer_state"


def _bare_scaler() -> Any:
    from ..amp import GradScaler

    return GradScaler("cpu")


_SCALER = Conversion(_written_scaler, _fill_scaler, ("_init_growth_tracker", "_per_optimizer_states"), _bare_scaler)
_CONVERSIONS = {
    "torch.utils.data.dataloader DataLoader": Conversion(
        _written_loader,
        _fill_loader,
        (
            "_DataLoader__multiprocessing_context",
            "_DataLoader__initialized",
            "_IterableDataset_len_called",
            "_dataset_kind",
            "_iterator",
            "collate_fn",
        ),
        _bare_loader,
        "facula.utils.data DataLoader",
        lambda loader: loader.shard is not None,
    ),
    "torch.quasirandom SobolEngine": Conversion(
        _written_sobol, _fill_sobol, (*_SOBOL, "_first_point", "num_generated"), _bare_sobol
    ),
    **{f"torch.{place}.grad_scaler GradScaler": _SCALER for place in ("amp", "cpu.amp", "cuda.amp")},
}
OWN = {converted.own: name for name, converted in _CONVERSIONS.items() if converted.own}


# Generators: neither library continues the other's numbers ------------------------------------------------------------

_TAIL = 5  # words of PyTorch's state that cache halves of normal numbers


def fresh_state(seed: int) -> np.ndarray:
    """Return the state of PyTorch's CPU generator after `manual_seed(seed)`, a Mersenne Twister: (632,)."""
    twister: Any = np.random.RandomState(seed & 0xFFFFFFFF).get_state(legacy=False)
    return np.array([seed, 1 | 1 << 32, 0, *twister["state"]["key"], *[0] * _TAIL], np.uint64)


def generator_state(generator: Generator) -> tuple[int, None, Tensor, tuple[int, int]]:
    """Return PyTorch's generator state for our seed, or one derived from our state; PyTorch ignores the last part.

    Arguments:
        generator: a generator on the CPU.
    """
    seed, drawn = own = state_pair(generator)
    if drawn:
        seed = derived_seed(generator.get_state().numpy().tobytes())
    return seed, None, from_numpy(fresh_state(seed).view(np.uint8)), own


def set_generator(generator: Generator, state: Any, later: list[Callable[[], None]]) -> None:
    """Set a new generator's state from ours, from PyTorch's seed, or from a seed derived from PyTorch's used state."""
    if type(state) is tuple and len(state) == 4:
        generator.set_state(state[3])
        return
    seed, _, words = expect(state, tuple, "the state of a generator")
    checked = number({"seed": seed}, "seed", 64) or 0
    if not isinstance(words, Tensor) or not words.is_contiguous():
        refuse(f"its pickle has a {type(words).__name__} for the state of a generator")

    def finish() -> None:
        found = words.cpu().numpy().tobytes()
        generator.manual_seed(checked if found == fresh_state(checked).tobytes() else derived_seed(found))

    later.append(finish)
