"""Observers of the other packages; `_recording/sources.py` defines their interface."""

from .._recording.sources import sources
from .backward import BackwardSource
from .collectives import CollectiveSource
from .devices import DeviceSource
from .loaders import LoaderSource
from .modules import ModuleSource
from .optimizers import OptimizerSource
from .pool import PoolSource
from .replays import ReplaySource
from .segments import SegmentSource

sources += [
    PoolSource, ReplaySource, DeviceSource, SegmentSource, LoaderSource, CollectiveSource, OptimizerSource,
    ModuleSource, BackwardSource,
]  # fmt: skip
