"""What sibling packages may use of facula_data beyond its public names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._distributed import process_groups
from ._globals import SharedGenerator
from ._globals import generators as shared_generators
from ._native import Native
from ._passes import InlinePass, Pass, SharedPass
from ._seeds import set_seed_source
from ._types import Collate
from ._worker_info import at_start as at_worker_start

if TYPE_CHECKING:  # what arguments may be
    from ._datasets import Samples as Samples
    from ._seeds import SeedLike as SeedLike

__all__ = [
    "Collate", "InlinePass", "Native", "Pass", "SharedGenerator", "SharedPass", "at_worker_start", "process_groups",
    "set_seed_source", "shared_generators",
]  # fmt: skip
