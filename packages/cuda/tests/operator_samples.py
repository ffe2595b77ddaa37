"""Samples of reductions, norms, losses, indexing, moves, random numbers and optimizers."""

from math import prod

import numpy as np
from kernel_samples import Given, Sample, empty, indices, values

# By which norms may differ from the CPU's, which adds elements in another order.
SHARES = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 4e-6, "float64": 1e-13}


def norms(operator, shape, count, dtype, weighted=True, offset=0.0):
    """Samples of a normalization of rows and of its gradients."""
    numbers = "float64" if dtype == "float64" else "float32"
    centred, grouped = operator != "rms_norm", operator == "group_norm"
    rows = shape[0] * count if grouped else prod(shape[: len(shape) - count])
    weights = shape[1] if grouped else prod(shape[len(shape) - count :])
    x, per_row = values(shape, dtype, 1, offset=offset), [((rows,), numbers)] * (2 if centred else 1)
    weight = values((weights,), dtype, 2) if weighted else None
    bias = [values((weights,), dtype, 3) if weighted else None] if centred else []
    kept = [values((rows,), numbers, 4)] * centred + [values((rows,), numbers, 5, 0.1, 1)]
    gradients = [((weights,), dtype)] * (2 if centred else 1)
    name = "" if weighted else "plain"
    yield Sample(operator, [x, weight, *bias], [empty(shape, dtype), *(empty(*one) for one in per_row)], (count,),
                 (1e-5,), share=SHARES[dtype], name=name)  # fmt: skip
    yield Sample(f"{operator}_grad", [values(shape, dtype, 6), x, *kept, weight],
                 [empty(shape, dtype), *(empty(*one) for one in gradients)], (count,),
                 share=SHARES[dtype], name=name)  # fmt: skip


def unit_rows(shape, count, dtype, scale=1.0):
    """Samples of rows divided by their lengths, and of the gradient. The first row is short."""
    rows = prod(shape[: len(shape) - count])
    x = values(shape, dtype, 1, scale)
    x.array[:1] = 0
    yield Sample("unit_rows", [x], [empty(shape, dtype), empty((rows,), dtype)], (count,), (1e-12,),
                 share=SHARES[dtype])  # fmt: skip
    of_rows = [values(shape, dtype, 6), values(shape, dtype, 7), values((rows,), dtype, 5)]
    yield Sample("unit_rows_grad", of_rows, [empty(shape, dtype)], (count,), share=SHARES[dtype])


def cosines(shape, count, dtype, scale=1.0):
    """Samples of cosines of rows, and of the gradient. The first row is short."""
    kept = shape[: len(shape) - count]
    x, y = values(shape, dtype, 1, scale), values(shape, dtype, 2, scale)
    g, cosine, *inverses = [values(kept, dtype, seed) for seed in range(3, 7)]
    x.array[:1] = 0
    yield Sample("cosine_rows", [x, y], [empty(kept, dtype) for _ in range(3)], (count,), (1e-12,),
                 share=SHARES[dtype])  # fmt: skip
    yield Sample("cosine_rows_grad", [g, x, y, cosine, *inverses], [empty(shape, dtype)], (count,), share=SHARES[dtype])


def batch_norms(shape, dtype, weighted=True, offset=0.0):
    """Samples of the four operators of batch normalization."""
    one, name = (shape[1],), "" if weighted else "plain"
    x = values(shape, dtype, 1, offset=offset)
    a, b, mean = ([values(one, dtype, seed) for seed in (2, 3, 4)]) if weighted else (None, None, None)
    variance = values(one, dtype, 5, 0.1, 1)
    kept = [empty(one, dtype), empty(one, dtype)]
    count = Given(np.asarray(3), "int64")
    running = [mean, variance if weighted else None]
    yield Sample("batch_norm", [x, a, b, *running], [empty(shape, dtype), *kept], (), (0.1, 1e-5),
                 share=SHARES[dtype], name=name)  # fmt: skip
    yield Sample("batch_norm_counted", [x, a, b, *running, count], [empty(shape, dtype), *kept], (), (1e-5,),
                 share=SHARES[dtype], name=name)  # fmt: skip
    yield Sample("batch_norm_eval", [x, a, b, values(one, dtype, 6), variance], [empty(shape, dtype)], (), (1e-5,),
                 name=name)  # fmt: skip
    yield Sample("batch_norm_grad", [values(shape, dtype, 7), x, values(one, dtype, 8), variance, a],
                 [empty(shape, dtype), *kept], share=SHARES[dtype], name=name)  # fmt: skip


def class_losses(shape, dtype, reduction, weighted=False, smoothing=0.0, last=False):
    """Samples of cross entropy, the negative log likelihood, and their gradients. `last`: classes are neighbours."""
    x = values((shape[0], *shape[2:], shape[1]) if last else shape, dtype, 1, 3)
    x = Given(np.moveaxis(x.array, -1, 1), dtype) if last else x
    target = indices((shape[0], *shape[2:]), shape[1])
    target.array.reshape(-1)[1:2] = -100
    weight = Given(np.abs(values((shape[1],), dtype, 2).array), dtype) if weighted else None
    of_loss = target.array.shape if reduction == "none" else ()
    for operator in ("cross_entropy", "nll_loss"):
        call = {"parameters": (reduction,), "numbers": (-100, smoothing), "ulp": 1}
        call["share"] = 3e-7 if dtype == "float32" else 0  # the CPU adds exponentials in another order
        call["name"] = f"{reduction}{'-weighted' * weighted}{'-smooth' * (smoothing > 0)}{'-last' * last}"
        yield Sample(operator, [x, target, weight], [empty(of_loss, dtype)], **call)
        yield Sample(f"{operator}_grad", [values(of_loss, dtype, 3), x, target, weight], [empty(shape, dtype)], **call)


def draws(operator, dtype, count, numbers, offset=(1 << 40) + 1):
    return Sample(operator, [], [empty((count,), dtype)], (), (-(1 << 63) + 5, offset, *numbers), name=str(numbers[0]))


def rejections(operator, dtype, count, scale):
    """A sample of draws with parameters for each element, of which some are out of range."""
    a, b = (np.abs(values((count,), dtype, seed, scale).array) for seed in (1, 2))
    a[:5] = [0, np.inf, np.nan, -1, 1e30][:count]
    p = Given((b / (1 + b)).astype(dtype), dtype)
    several = [Given(np.floor(a) if operator == "binomial" else a, dtype), p][: 2 if operator == "binomial" else 1]
    return Sample(operator, several, [empty((count,), dtype)], (), (-(1 << 63) + 5, (1 << 40) + 1), name=str(scale))


def slices(shape, dim, of_index, dtype):
    """Samples of operators that index slices."""
    size, name = shape[dim], "x".join(map(str, of_index)) or "one"
    result = shape[:dim] + of_index + shape[dim + 1 :]
    array, several = values(shape, dtype, 1, 5), values(result, dtype, 2, 5)
    signed, plain = indices(of_index, size, -size), indices(of_index, size)
    yield Sample("take", [array, signed], [empty(result, dtype)], (dim,), name=name)
    yield Sample("index_select", [array, plain], [empty(result, dtype)], (dim,), name=name)
    yield Sample("put", [signed, several], [array], (dim, False), name=name)
    yield Sample("put", [signed, several], [array], (dim, True), name=f"{name}-add")
    yield Sample("take_back", [several, signed], [empty(shape, dtype)], (shape, dim, 1), name=name)


def elements(shape, dim, of_index, dtype, modes=("set", "sum", "prod", "amax", "amin")):
    """Samples of operators that index elements."""
    array, several, index = values(shape, dtype, 1, 5), values(of_index, dtype, 2, 5), indices(of_index, shape[dim])
    yield Sample("gather", [array, index], [empty(of_index, dtype)], (dim,))
    for mode in modes:
        yield Sample("scatter", [index, several], [array], (dim, mode), name=mode)
    yield Sample("scatter_copy", [array, index, several], [empty(shape, dtype)], (dim, modes[-1]))
    yield Sample("gather_back", [several, index], [empty(shape, dtype)], (shape, dim))


def positions(shape):
    """Samples of operators that find true elements."""
    mask = values(shape, "bool", 1)
    count = int(mask.array.sum())
    yield Sample("count_true", [mask], [empty((), "int64")])
    yield Sample("nonzero_flat", [mask], [empty((count,), "int64")])
    if shape:
        yield Sample("nonzero", [mask], [empty((count, len(shape)), "int64")])


def moves(shape, dtype, order=None):
    """Samples of operators that move elements of an array whose dimensions have this order."""
    a = Given(values(shape, dtype, 1).array.transpose(order or range(len(shape))), dtype)
    shape = a.array.shape
    dims = tuple(range(len(shape)))
    for some in {(), dims[-1:], dims, dims[::2]}:
        yield Sample("flip", [a], [empty(shape, dtype)], (some,), name="".join(map(str, some)))
        shifts = tuple([min(dim + 1, max(shape[dim] - 1, 0)) for dim in some])
        yield Sample("roll", [a], [empty(shape, dtype)], (shifts, some), name="".join(map(str, some)))
    for outer, inner in (((2,) * len(shape), (1,) * len(shape)), ((1,) * len(shape), (3,) * len(shape)), (dims, dims)):
        result = [size * whole * each for size, whole, each in zip(shape, outer, inner, strict=True)]
        yield Sample("tile", [a], [empty(result, dtype)], (outer, inner), name=f"{outer}{inner}")


def triangles(shape, dtype):
    for diagonal, upper in ((0, False), (1, True), (-2, True), (100, False), (-100, False)):
        name = f"{diagonal}-{upper}"
        yield Sample("triangle", [values(shape, dtype, 1)], [empty(shape, dtype)], (diagonal, upper), name=name)


NUMBERS = {  # of an optimizer's step, in the order of facula_cpu's optimizer_numbers.h; and its single numbers
    "sgd_step": ((0.1, 0.01, 1, 0.9, 0.9, 0.5), ()),
    "adam_step": ((1e-3, 0.9, 0.999, 1e-8, 0.01, 0.99, -1), (7,)),
    "rmsprop_step": ((0.01, 0.99, 1e-8, 0.1, 1, 0.9), (7,)),
    "rmsprop_centered_step": ((0.01, 0.99, 1e-8, 0.1, 1, 0.9), (7,)),
    "adadelta_step": ((1, 0.9, 1e-6, 0.1, 1), (7,)),
    "adagrad_step": ((0.1, 0.01, 1e-10, 0.1, 1), (7,)),
    "adamax_step": ((2e-3, 0.9, 0.999, 1e-8, 0.1, 1), (7,)),
    "nadam_step": ((2e-3, 0.9, 0.999, 1e-8, 0.1, 0.99, 1, 4e-3), (0.5, 7)),
    "radam_step": ((1e-3, 0.9, 0.999, 1e-8, 0.1, 0.99, 1), (7,)),
    "asgd_step": ((1e-2, 1e-4, 0.75, 3, 0.1, 1), (0.01, 0.7, 7)),
    "rprop_step": ((0.5, 1.2, 1e-6, 50, 1), (7,)),
}


def factored_steps(shapes, dtype):
    """Samples of Adafactor's step of parameters of these shapes: by rows and columns of matrices, and as vectors."""
    numbers = (0.01, -0.8, -1.0, 1e-3, 1.0, 0.99, 1.0)
    for operator in ("adafactor_step", "adafactor_vector_step"):
        inputs = []
        for seed, shape in enumerate(shapes):
            states = [shape] if operator != "adafactor_step" else [(*shape[:-1], 1), (*shape[:-2], 1, shape[-1])]
            inputs += [values(shape, dtype, 3 * seed), values(shape, dtype, 3 * seed + 1, 10)]
            inputs += [Given(np.abs(values(state, dtype, 3 * seed + 2).array), dtype) for state in states]
            inputs.append(Given(np.asarray(7, np.float32), "float32"))
        width = 5 if operator == "adafactor_step" else 4
        yield Sample(operator, inputs, [], (width,), numbers, len(shapes), ulp=1, name=str(len(shapes)),
                     first=True)  # fmt: skip


def steps(operator, states, sizes, dtype):
    """A sample of an optimizer's step over parameters of these sizes."""
    numbers, singles = NUMBERS[operator]
    inputs = []
    for seed, size in enumerate(sizes):
        inputs += [values((size,), dtype, 3 * seed), values((size,), dtype, 3 * seed + 1)]
        state = values((size,), dtype, 3 * seed + 2)
        inputs += [Given(np.abs(state.array), dtype)] * states
        inputs += [Given(np.asarray(single, np.float32), "float32") for single in singles]
    width = 2 + states + len(singles)
    return Sample(operator, inputs, [], (width,), tuple(map(float, numbers)), len(sizes), name=f"{states}-{len(sizes)}",
                  first=True)  # fmt: skip
