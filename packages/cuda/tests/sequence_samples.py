"""Samples of attention."""

from itertools import chain

import numpy as np
from kernel_samples import Given, Sample, empty, run_on_cpu, values

HALVES = {"float16": 2e-3, "bfloat16": 1e-2}


def attention(shape, keys, value_width, dtype, mask=None, causal=False, share=0.0, strided=False):
    """Samples of attention and its gradient. `mask` is a dtype; `strided` operands share heads and have gaps."""
    *batch, length, width = shape
    name = "-".join(filter(None, [f"{keys}x{value_width}", mask, "causal" * causal, "dropped" * (share > 0),
                                  "strided" * strided]))  # fmt: skip
    call = {"parameters": (causal,), "numbers": (width**-0.5 if width else 1.0, share, 5, 1 << 40), "name": name,
            "share": HALVES.get(dtype, 3e-6 if dtype == "float32" else 1e-13)}  # fmt: skip

    def operand(rows, columns, seed, shared=False):
        if not strided:
            return values((*batch, rows, columns), dtype, seed)
        wide = values((*batch[:-1], rows, 1 if shared else batch[-1], columns + 3), dtype, seed).array
        view = np.moveaxis(wide[..., :columns], -2, -3)
        return Given(np.broadcast_to(view, (*batch, rows, columns)), dtype)

    q, k, v = operand(length, width, 1), operand(keys, width, 2, shared=True), operand(keys, value_width, 3)
    given = None
    if mask:
        some = values((length, 2 * keys), mask, 4).array[:, ::2]
        if mask == "bool" and length > 1:
            some[1] = 0  # all masked
        given = Given(np.broadcast_to(some, (*batch, length, keys)), mask)
    numbers = "float64" if dtype == "float64" else "float32"
    made = [empty((*batch, length, value_width), dtype), empty((*batch, length), numbers)]
    forward = Sample("attention", [q, k, v, given], made, **call)
    yield forward
    out, lse = run_on_cpu(forward)[4:]
    yield Sample("attention_grad", [operand(length, value_width, 5), q, k, v, given, Given(out, dtype),
                                    Given(lse, numbers)],
                 [empty((*batch, *one), dtype) for one in ((length, width), (keys, width), (keys, value_width))],
                 **call)  # fmt: skip


ATTENTION = list(attention((2, 150, 33), 150, 33, "float32"))
SEQUENCES = [
    *ATTENTION,
    *chain.from_iterable(
        attention((2, 3, 70, 9), 67, 5, dtype, mask=dtype) for dtype in ("float32", "float64", "float16", "bfloat16")
    ),
    *chain.from_iterable(attention(*one) for one in [
        ((2, 3, 70, 9), 130, 70, "float32", "bool"), ((1, 2), 1, 3, "float32"),
        ((4, 100, 80), 100, 66, "float32", None, True), ((2, 70, 8), 90, 8, "float64", None, True, 0.5),
        ((2, 4, 5, 6), 7, 8, "float32", "bool", False, 0.3, True), ((2, 3, 4), 5, 6, "float16", "float32"),
        ((2, 3, 4), 5, 6, "bfloat16", "bool", False, 1.0), ((3, 2, 5), 0, 4, "float32"),
        ((3, 0, 5), 4, 4, "float32"), ((0, 2, 5), 4, 4, "float32"), ((2, 3, 0), 4, 0, "float32")]),
]  # fmt: skip
