"""Names of PyTorch's torch.distributed.checkpoint, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal

DefaultLoadPlanner: Kind
DefaultSavePlanner: Kind
FileSystemReader: Kind
FileSystemWriter: Kind
LoadPlan: Kind
LoadPlanner: Kind
SavePlan: Kind
SavePlanner: Kind
StorageReader: Kind
StorageWriter: Kind
async_save: Refusal
load: Refusal
load_state_dict: Refusal
save: Refusal
save_state_dict: Refusal
