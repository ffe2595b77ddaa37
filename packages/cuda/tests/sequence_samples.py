"""Samples of attention, recurrent layers and connectionist temporal classification."""

from itertools import chain

import numpy as np
from kernel_samples import Given, Sample, empty, run_on_cpu, values

HALVES = {"float16": 2e-3, "bfloat16": 1e-2}


def attention(shape, keys, value_width, dtype, mask=None, causal=False, share=0.0, strided=False):
    """Samples of attention and its gradient. `mask` is a dtype; `strided` operands share heads and have gaps, and
    the dimensions of results have another order in memory."""
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

    def result(rows, columns):
        if not strided:
            return empty((*batch, rows, columns), dtype)
        return Given(np.moveaxis(empty((*batch[:-1], rows, batch[-1], columns), dtype).array, -2, -3), dtype)

    q, k, v = operand(length, width, 1), operand(keys, width, 2, shared=True), operand(keys, value_width, 3)
    given = None
    if mask:
        some = values((length, 2 * keys), mask, 4).array[:, ::2]
        if mask == "bool" and length > 1:
            some[1] = 0  # all masked
        given = Given(np.broadcast_to(some, (*batch, length, keys)), mask)
    numbers = "float64" if dtype == "float64" else "float32"
    made = [result(length, value_width), empty((*batch, length), numbers)]
    forward = Sample("attention", [q, k, v, given], made, **call)
    yield forward
    out, lse = run_on_cpu(forward)[4:]
    gradients = [result(rows, columns) for rows, columns in ((length, width), (keys, width), (keys, value_width))]
    yield Sample("attention_grad", [operand(length, value_width, 5), q, k, v, given, Given(out, dtype),
                                    Given(lse, numbers)], gradients, **call)  # fmt: skip


def recurrent(kind, shape, hidden, dtype="float32", reverse=False, sizes=None, given=True, wanted=(True,) * 4):
    """Samples of a layer and its gradients. `given`: with first states and biases, and gradients of all results."""
    steps, batch, features = shape
    saved, made = {"lstm": (4, 4), "gru": (4, 3)}.get(kind, (1, 1))
    rows = (steps, batch) if sizes is None else (sum(sizes),)
    flags = ["reverse" * reverse, "packed" * (sizes is not None), "" if given else "plain"]
    name = "-".join(filter(None, [kind, str(hidden), *flags]))
    call = {"name": name, "share": 2e-6 if dtype == "float32" else 1e-14}
    lstm = kind == "lstm"
    none = Given(np.empty(0, values((), dtype).array.dtype), dtype)
    x, h0 = values((*rows, features), dtype, 1), values((batch, hidden), dtype, 2)
    c0 = values((batch, hidden), dtype, 3) if given and lstm else None
    h0 = h0 if given or sizes is not None else None
    weights = [values((made * hidden, features), dtype, 4, 0.3), values((made * hidden, hidden), dtype, 5, 0.3)]
    biases = [values((made * hidden,), dtype, seed) if given else None for seed in (6, 7)]
    counts = None if sizes is None else Given(np.asarray(sizes), "int64")
    state = empty((batch, hidden), dtype)
    cells = empty((*rows, hidden), dtype) if lstm else none
    results = [empty((*rows, hidden), dtype), state, state if lstm else none]
    results += [empty((*rows, saved * hidden), dtype), cells]
    forward = Sample("recurrent", [x, h0, c0, *weights, *biases, counts], results, (kind, reverse), **call)
    yield forward
    out, _, _, kept, cells = (Given(one, dtype) for one in run_on_cpu(forward)[8:])
    gradients = [values(out.array.shape, dtype, 8)]
    gradients += [values((batch, hidden), dtype, 9) if given else None]
    gradients += [values((batch, hidden), dtype, 10) if given and lstm else None]
    wants_input, wants_state, wants_weights, wants_bias = wanted
    bias = empty((made * hidden,), dtype)
    yield Sample(
        "recurrent_grad", [x, h0, c0, *weights, out, kept, cells, counts, *gradients],
        [*([empty(one.array.shape, dtype) for one in weights] if wants_weights else [none] * 2),
         *([bias if wants_bias else none] * 2), empty((*rows, features), dtype) if wants_input else none,
         state if wants_state else none, state if wants_state and lstm else none],
        (kind, reverse, *wanted), **call)  # fmt: skip


def temporal(steps, classes, targets, dtype="float32", blank=0, zero_infinity=0, strided=False):
    """Samples of connectionist temporal classification and its gradient; targets are lists, one for each example."""
    lengths = [(max(0, steps - number), len(target)) for number, target in enumerate(targets)]
    starts = np.cumsum([0, *map(len, targets)])[:-1]
    longest = max(map(len, targets), default=0) + 1
    x = values((steps, len(targets), classes), dtype, 1, 2).array
    x = np.asfortranarray(x) if strided else x
    flat = Given(np.array([one for target in targets for one in target], np.int64), "int64")
    table = np.array([(*pair, start) for pair, start in zip(lengths, starts, strict=True)], np.int64).reshape(-1, 3)
    call = {"parameters": (longest,), "numbers": (blank, zero_infinity), "share": 1e-5 if dtype == "float32" else 1e-13,
            "name": f"{longest}-{blank}{'-strided' * strided}"}  # fmt: skip
    results = [empty((len(targets),), dtype), empty((len(targets), steps, 2 * longest + 1), dtype)]
    given = [Given(x, dtype), flat, Given(table, "int64")]
    forward = Sample("ctc_loss", given, results, **call)
    yield forward
    made = [Given(one, dtype) for one in run_on_cpu(forward)[3:]]
    yield Sample("ctc_loss_grad", [values((len(targets),), dtype, 2), *given, *made], [empty(x.shape, dtype)], **call)


ATTENTION = list(attention((2, 150, 33), 150, 33, "float32"))
RECURRENT = list(recurrent("lstm", (3, 18, 5), 20, reverse=True))
TEMPORAL = list(temporal(45, 5, [[1, 2, 1, 3] * 10, [4, 4, 0]]))
SEQUENCES = [
    *ATTENTION,
    *chain.from_iterable(
        attention((2, 3, 70, 9), 67, 5, dtype, mask=dtype) for dtype in ("float32", "float64", "float16", "bfloat16")
    ),
    *chain.from_iterable(attention(*one) for one in [
        ((2, 3, 70, 9), 130, 70, "float32", "bool"), ((1, 2), 1, 3, "float32"),
        ((4, 100, 80), 100, 66, "float32", None, True), ((2, 70, 8), 90, 8, "float64", None, True, 0.5),
        ((2, 4, 5, 6), 7, 8, "float32", "bool", False, 0.3, True),
        ((2, 3, 70, 9), 67, 5, "bfloat16", None, True, 0.0, True), ((2, 3, 4), 5, 6, "float16", "float32"),
        ((2, 3, 4), 5, 6, "bfloat16", "bool", False, 1.0), ((3, 2, 5), 0, 4, "float32"),
        ((3, 0, 5), 4, 4, "float32"), ((0, 2, 5), 4, 4, "float32"), ((2, 3, 0), 4, 0, "float32")]),
    *TEMPORAL,
    *chain.from_iterable(temporal(*one) for one in [
        (5, 4, [[1, 2], [1, 1], [], [2, 2], [2]], "float64", 3), (2, 4, [[1, 1], [1, 2, 3], [2]], "float32", 0, 1),
        (6, 300, [[5, 299, 5]], "float32", 7, 0, True), (0, 3, [[], [1]]), (3, 3, [])]),
    *RECURRENT,
    *chain.from_iterable(
        recurrent(kind, *one)
        for kind in ("lstm", "gru", "rnn_tanh", "rnn_relu")
        for one in [((4, 3, 5), 6), ((5, 4, 3), 17, "float64", True, (4, 4, 2, 1, 1))]
    ),
    *chain.from_iterable(recurrent("lstm", *one) for one in [
        ((1, 1, 1), 1), ((3, 0, 5), 4), ((3, 2, 0), 4), ((4, 70, 33), 17),
        ((2, 3, 4), 5, "float32", False, None, False),
        ((3, 2, 2), 17, "float32", False, None, True, (True, False, False, False)),
        ((3, 2, 2), 17, "float32", True, (2, 1, 1), True, (False, True, False, True))]),
]  # fmt: skip
