"""Checkpoints of several processes: not there yet."""

from .._names import publish
from .._refusals import Kind, Refusal, Refusals

__all__ = [
    "DefaultLoadPlanner", "DefaultSavePlanner", "FileSystemReader", "FileSystemWriter", "LoadPlan", "LoadPlanner",
    "SavePlan", "SavePlanner", "StorageReader", "StorageWriter", "async_save", "load", "load_state_dict", "save",
    "save_state_dict",
]  # fmt: skip

_missing = Refusals("distributed.checkpoint", "there is one process so far; use facula.save and facula.load")
DefaultLoadPlanner: Kind = _missing.kind("DefaultLoadPlanner")
DefaultSavePlanner: Kind = _missing.kind("DefaultSavePlanner")
FileSystemReader: Kind = _missing.kind("FileSystemReader")
FileSystemWriter: Kind = _missing.kind("FileSystemWriter")
LoadPlan: Kind = _missing.kind("LoadPlan")
LoadPlanner: Kind = _missing.kind("LoadPlanner")
SavePlan: Kind = _missing.kind("SavePlan")
SavePlanner: Kind = _missing.kind("SavePlanner")
StorageReader: Kind = _missing.kind("StorageReader")
StorageWriter: Kind = _missing.kind("StorageWriter")
async_save: Refusal = _missing.function("async_save")
load: Refusal = _missing.function("load")
load_state_dict: Refusal = _missing.function("load_state_dict")
save: Refusal = _missing.function("save")
save_state_dict: Refusal = _missing.function("save_state_dict")

publish(__name__)
