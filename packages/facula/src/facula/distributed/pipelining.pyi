"""Names of PyTorch's torch.distributed.pipelining, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal

PipelineStage: Kind
ScheduleGPipe: Kind
SplitPoint: Kind
pipeline: Refusal
