"""Names of facula_data for sibling packages, in addition to the public API."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._batches.native_tensors import Native
from ._batches.passes import InlinePass, Pass, SharedPass
from ._observer import LoaderObserver, observe_loaders
from ._sampling.distributed import process_groups
from ._sampling.global_rng import SharedGenerator
from ._sampling.global_rng import generators as shared_generators
from ._sampling.seeds import set_seed_source
from ._types import Collate
from ._workers.worker_info import at_start as at_worker_start

if TYPE_CHECKING:  # types of arguments
    from ._datasets.dataset import Samples as Samples
    from ._sampling.seeds import SeedLike as SeedLike

__all__ = [
    "Collate", "InlinePass", "LoaderObserver", "Native", "Pass", "SharedGenerator", "SharedPass", "at_worker_start",
    "observe_loaders", "process_groups", "set_seed_source", "shared_generators",
]  # fmt: skip

# Private attributes that facula uses to pickle loaders and samplers in PyTorch's form. `_seed` alone is written.
SIBLING_ATTRIBUTES = {
    "_dataset_kind": "a loader's kind of dataset; a name of PyTorch's",
    "_progress": "the epoch and position that a loader would continue from",
    "_seeded": "returns the object whose seed the loader uses: itself or its sampler",
    "_seed": "the seed of a loader or sampler, None until it is drawn: reading `seed` draws it",
    "_passes": "the number of passes that a random sampler has begun",
}
