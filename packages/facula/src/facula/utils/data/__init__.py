"""Datasets, samplers and loaders: the names of facula_data, with batches of tensors.

An order without a seed is drawn from facula's default generator, so `facula.manual_seed` determines it.
May import: siblings. Where next: `facula_data`. The modules `dataset`, `sampler` and `dataloader` are PyTorch's places;
`files` and `transforms` have facula_data's names. All of them are sections of `_places.txt`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Generic, overload

from facula_cpu import set_num_threads
from facula_errors.extend import boundary
from facula_tensor import Tensor, from_numpy, get_rng_state, manual_seed, randint, set_rng_state, stack

from ..._lookup.names import publish
from ..._lookup.siblings import needs
from ..._types import AnyValue

with needs("facula.utils.data"):
    import facula_data
    from facula_data import (
        BatchSampler,
        ChainDataset,
        CollateError,
        CollateTypeError,
        ConcatDataset,
        CorruptFileError,
        Dataset,
        EpochReport,
        FilterIterable,
        IterableDataset,
        LoaderReport,
        MapDataset,
        MapIterable,
        Meter,
        RandomSampler,
        Sampler,
        SequentialSampler,
        SharedDict,
        SharedList,
        StackDataset,
        Subset,
        SubsetRandomSampler,
        TensorDataset,
        WeightedRandomSampler,
        WorkerError,
        WorkerInfo,
        WorkerTimeoutError,
        get_worker_info,
        growing_attributes,
        random_split,
    )
    from facula_data.extend import Native, SharedGenerator, at_worker_start, set_seed_source, shared_generators

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias, TypedDict, Unpack

    import numpy as np
    from typing_extensions import TypeVar  # which every type checker includes

    from facula_data import DistributedSampler as DistributedSampler
    from facula_data.extend import Samples, SeedLike

    from . import distributed as distributed
    from . import files as files
    from . import transforms as transforms

    # Values that become part of a tensor; a tuple of them becomes a list of tensors.
    _Part: TypeAlias = Tensor | np.ndarray | np.generic | complex
    S_co = TypeVar("S_co", covariant=True)
    Batch_co = TypeVar("Batch_co", covariant=True, default=Any)
    Single = TypeVar("Single", bound=_Part)
    Several = TypeVar("Several", bound=tuple[_Part, ...])

    class Options(TypedDict, total=False):
        """The arguments of a loader that are usually passed by name."""

        pin_memory: bool
        drop_last: bool
        timeout: float
        worker_init_fn: Callable[[int], None] | None
        multiprocessing_context: object
        generator: SeedLike
        prefetch_factor: int | None
        persistent_workers: bool
        pin_memory_device: str
        in_order: bool
        worker_method: str
        seed: int | None
        shard: tuple[int, int] | None
        on_error: str | Callable[[Exception, AnyValue], object]
        seed_globals: bool
        meter: bool

else:
    from typing import TypeVar

    S_co, Batch_co = TypeVar("S_co", covariant=True), TypeVar("Batch_co", covariant=True)

__all__ = [
    "BatchSampler", "ChainDataset", "CollateError", "CollateTypeError", "ConcatDataset", "CorruptFileError",
    "DataLoader", "Dataset", "DistributedSampler", "EpochReport", "FilterIterable", "IterableDataset", "LoaderReport",
    "MapDataset", "MapIterable", "Meter", "RandomSampler", "Sampler", "SequentialSampler", "SharedDict", "SharedList",
    "StackDataset", "Subset", "SubsetRandomSampler", "TensorDataset", "WeightedRandomSampler", "WorkerError",
    "WorkerInfo", "WorkerTimeoutError", "default_collate", "default_convert", "distributed", "get_worker_info",
    "growing_attributes", "random_split",
]  # fmt: skip


_TENSORS = Native(Tensor, from_numpy, stack)


@boundary
def default_collate(batch: Sequence[object]) -> AnyValue:
    """Collate a list of samples into a batch: arrays and numbers become tensors with a new first dimension.

    Follows the rules and errors of `facula_data.default_collate`, with tensors in place of NumPy arrays. Samples that
    are tensors are stacked directly: of any dtype, on any device, and with gradients.

    >>> default_collate([(1.0, "a"), (2.0, "b")])
    [tensor([1., 2.], dtype=facula.float64), ['a', 'b']]
    """
    return facula_data.default_collate(batch, convert=_TENSORS)


@boundary
def default_convert(data: object) -> AnyValue:
    """Replace each array in `data` by a tensor over the same memory; other values are unchanged.

    >>> import numpy
    >>> default_convert({"x": numpy.zeros(2), "name": "zeros"})
    {'x': tensor([0., 0.], dtype=facula.float64), 'name': 'zeros'}
    """
    return facula_data.default_convert(data, convert=_TENSORS)


@boundary
class DataLoader(facula_data.DataLoader[S_co, Batch_co], Generic[S_co, Batch_co]):
    """A loader of batches of tensors. Arguments: those of `facula_data.DataLoader`; errors and `state_dict()` too.

    `convert` turns each NumPy array of a batch into a tensor. The results of a custom `collate_fn` are unchanged. With
    `pin_memory`, tensors of each batch are copied to pinned memory, if there is a CUDA device: copies of them to the
    device with `non_blocking=True` do not wait. Objects with a method `pin_memory` are replaced by its result.

    >>> import facula
    >>> squares = TensorDataset(facula.arange(4), facula.arange(4) * facula.arange(4))
    >>> for number, square in DataLoader(squares, batch_size=3):
    ...     print(number, square)
    tensor([0, 1, 2]) tensor([0, 1, 4])
    tensor([3]) tensor([9])
    """

    @overload
    def __init__(
        self,
        dataset: Dataset[S_co] | Samples[S_co],
        batch_size: int = 1,
        shuffle: bool | None = None,
        sampler: Iterable[object] | None = None,
        batch_sampler: Iterable[Sequence[object]] | None = None,
        num_workers: int = 0,
        *,
        collate_fn: Callable[[list[S_co]], Batch_co],
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: DataLoader[Several, list[Tensor]],
        dataset: Dataset[Several] | Samples[Several],
        batch_size: int = 1,
        shuffle: bool | None = None,
        sampler: Iterable[object] | None = None,
        batch_sampler: Iterable[Sequence[object]] | None = None,
        num_workers: int = 0,
        collate_fn: None = None,
        *arguments: object,
        convert: None = None,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: DataLoader[Single, Tensor],
        dataset: Dataset[Single] | Samples[Single],
        batch_size: int = 1,
        shuffle: bool | None = None,
        sampler: Iterable[object] | None = None,
        batch_sampler: Iterable[Sequence[object]] | None = None,
        num_workers: int = 0,
        collate_fn: None = None,
        *arguments: object,
        convert: None = None,
        **options: Unpack[Options],
    ) -> None: ...
    @overload
    def __init__(
        self: DataLoader[S_co, AnyValue],
        dataset: Dataset[S_co] | Samples[S_co],
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: Iterable[object] | None = None,
        batch_sampler: Iterable[Sequence[object]] | None = None,
        num_workers: int = 0,
        collate_fn: Callable[[AnyValue], object] | None = None,
        *arguments: object,
        convert: Callable[[AnyValue], object] | None = None,
        **options: Unpack[Options],
    ) -> None: ...
    def __init__(
        self,
        dataset: AnyValue,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler: AnyValue = None,
        batch_sampler: AnyValue = None,
        num_workers: int = 0,
        collate_fn: Callable[[AnyValue], object] | None = None,
        *arguments: AnyValue,
        convert: Callable[[AnyValue], object] | None = None,
        **options: AnyValue,
    ) -> None:
        if collate_fn is default_collate or collate_fn is default_convert:
            collate_fn = None  # facula_data's own, which reads many samples together if a dataset supports it
        if convert is None and collate_fn is None:
            convert = _TENSORS
        positional = (batch_size, shuffle, sampler, batch_sampler, num_workers, collate_fn)
        super().__init__(dataset, *positional, *arguments, convert=convert, **options)

    def _pinning(self) -> Callable[[AnyValue], AnyValue] | None:
        from ... import cuda
        from .._pytree import tree_map

        return partial(tree_map, _pinned) if cuda.is_available() else super()._pinning()

    @property  # facula_data's own with tensors is this module's, which another loader accepts, too
    def collate_fn(self) -> Callable[[AnyValue], AnyValue]:
        """The function that collates samples into a batch."""
        ours = default_collate if self._collate is facula_data.default_collate else default_convert
        default = self._collate in (facula_data.default_collate, facula_data.default_convert)
        return ours if default and self.convert is _TENSORS else self._collate

    @collate_fn.setter
    def collate_fn(self, function: Callable[[AnyValue], object]) -> None:
        self._collate = function


def _pinned(value: AnyValue) -> AnyValue:
    """Copy a tensor, or an object with a method `pin_memory`, to pinned memory; other values are unchanged."""
    if isinstance(value, Tensor):
        return value.pin_memory("cuda")
    return value.pin_memory() if hasattr(value, "pin_memory") else value


def _draw() -> int:
    return int(randint(0, (1 << 63) - 1, (), device="cpu").item())


set_seed_source(_draw)
at_worker_start.append(partial(set_num_threads, 1))  # the workers already run in parallel
shared_generators.append(SharedGenerator(manual_seed, get_rng_state, set_rng_state))

publish(__name__, lazily={"distributed": "DistributedSampler"})
