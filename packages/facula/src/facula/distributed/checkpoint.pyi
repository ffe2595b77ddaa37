"""Names of PyTorch's torch.distributed.checkpoint, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

DefaultLoadPlanner: _Kind
DefaultSavePlanner: _Kind
FileSystemReader: _Kind
FileSystemWriter: _Kind
LoadPlan: _Kind
LoadPlanner: _Kind
SavePlan: _Kind
SavePlanner: _Kind
StorageReader: _Kind
StorageWriter: _Kind
async_save: _Refusal
load: _Refusal
load_state_dict: _Refusal
save: _Refusal
save_state_dict: _Refusal
