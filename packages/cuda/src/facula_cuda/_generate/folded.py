"""The kernels of programs that end in a sum or mean of all elements: elements are added where they are computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .elementwise import Form

DTYPES = (9, 10)  # float32 and float64
THREADS, PER_BLOCK, MAX_BLOCKS = 256, 256 * 16, 1024


def folded_blocks(count: int) -> int:
    """Return the number of blocks that fold `count` elements. It is part of the result: sums are joined by blocks."""
    return max(1, min(MAX_BLOCKS, -(-count // PER_BLOCK)))


def kernel(form: Form, reduction: str) -> list[str]:
    """Return the kernel: sums of doubles, in the order of threads and blocks."""
    arrays = len(form.inputs) + 1
    fields = [*form.fields(), "void *scratch;", "int64_t count;", f"nest<{arrays}, {form.room}> shape;", *form.record()]
    type_ = form.outputs[0]
    total = f"({type_})total" if reduction == "sum" else f"({type_})total / ({type_})p.count"
    return [
        f"struct {form.name}_reduced {{ {' '.join(fields)} }};",
        f"SYNC_KERNEL({form.name}_folded, {form.name}_reduced)",
        "{",
        *form.unpack,
        "    int ok = 1;",
        "    double sum = 0, total;",
        "    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.count; "
        "i += (int64_t)gridDim.x * blockDim.x) {",
        f"        int64_t at[{arrays}];",
        f"        {type_} y;",
        "        p.shape.find(i, at);",
        f"        {form.call(form.nested_loads()[0], ['y'])}",
        "        sum += y;",
        "    }",
        "    if (fold_grid(sum, p.scratch, &total))",
        f"        *p.o0 = {total};",
        *form.report(),
        "}",
    ]
