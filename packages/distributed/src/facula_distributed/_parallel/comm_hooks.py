"""Hooks that average gradients of buckets, for `DistributedDataParallel.register_comm_hook`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors.extend import boundary
from facula_tensor import bfloat16, float16

from .._collectives.reductions import all_reduce
from .._groups.futures import Future
from .._groups.work import ReduceOp

if TYPE_CHECKING:
    from facula_tensor import DType, Tensor

    from .._groups.groups import ProcessGroup
    from .buckets import GradBucket


def _averaged(group: ProcessGroup | None, tensor: Tensor) -> Future:
    work: Any = all_reduce(tensor, ReduceOp.AVG, group, async_op=True)
    return work.get_future().then(lambda done: done.value()[0])  # type: ignore[no-any-return]


def _compressed(group: ProcessGroup | None, bucket: GradBucket, dtype: DType) -> Future:
    buffer = bucket.buffer()

    def restored(done: Future) -> Tensor:
        return buffer.copy_(done.value())

    return _averaged(group, buffer.to(dtype)).then(restored)


@boundary
def allreduce_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future:
    """Return a future of the average of a bucket over all processes.

    Arguments:
        process_group: the process group; all processes if None.
        bucket: the bucket.
    """
    return _averaged(process_group, bucket.buffer())


@boundary
def bf16_compress_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future:
    """Return a future of the average, of gradients rounded to bfloat16. Sums are made in float32.

    Arguments: those of `allreduce_hook`.
    """
    return _compressed(process_group, bucket, bfloat16)


@boundary
def fp16_compress_hook(process_group: ProcessGroup | None, bucket: GradBucket) -> Future:
    """Return a future of the average, of gradients rounded to float16. Sums are made in float32.

    Arguments: those of `allreduce_hook`.
    """
    return _compressed(process_group, bucket, float16)


@boundary
def noop_hook(_: object, bucket: GradBucket) -> Future:
    """Return a future of the gradients of this process alone, to measure what communication costs."""
    future = Future()
    future.set_result(bucket.buffer())
    return future
