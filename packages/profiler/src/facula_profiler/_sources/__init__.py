"""Observers of the other packages; `_recording/sources.py` defines their interface."""

from .._recording.sources import sources
from .backward import BackwardSource
from .devices import DeviceSource
from .loaders import LoaderSource
from .modules import ModuleSource
from .optimizers import OptimizerSource
from .pool import PoolSource
from .replays import ReplaySource

sources += [PoolSource, ReplaySource, DeviceSource, LoaderSource, OptimizerSource, ModuleSource, BackwardSource]
