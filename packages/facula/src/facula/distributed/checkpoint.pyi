"""Names of PyTorch's torch.distributed.checkpoint, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal
from facula_distributed.checkpoint import FileSystemReader as FileSystemReader
from facula_distributed.checkpoint import FileSystemWriter as FileSystemWriter
from facula_distributed.checkpoint import async_save as async_save
from facula_distributed.checkpoint import load as load
from facula_distributed.checkpoint import save as save

DefaultLoadPlanner: _Kind
DefaultSavePlanner: _Kind
LoadPlan: _Kind
LoadPlanner: _Kind
SavePlan: _Kind
SavePlanner: _Kind
StorageReader: _Kind
StorageWriter: _Kind
load_state_dict: _Refusal
save_state_dict: _Refusal
