"""Names of PyTorch's torch.distributed.pipelining, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

PipelineStage: _Kind
ScheduleGPipe: _Kind
SplitPoint: _Kind
pipeline: _Refusal
