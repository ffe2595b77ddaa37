"""Names of PyTorch's torch.distributed.pipelining, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

PipelineStage: _Kind
Schedule1F1B: _Kind
ScheduleGPipe: _Kind
ScheduleInterleaved1F1B: _Kind
ScheduleInterleavedZeroBubble: _Kind
ScheduleLoopedBFS: _Kind
ScheduleZBVZeroBubble: _Kind
SplitPoint: _Kind
build_stage: _Refusal
pipe_split: _Refusal
pipeline: _Refusal
