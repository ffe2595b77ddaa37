"""Launches of every kernel and every kind of plan that a file can contain, for tests of such files."""

from types import SimpleNamespace

import numpy as np
from kernel_helpers import to_bfloat16

from facula_storage.extend import Program

RNG = np.random.default_rng(0)


def f4(*shape):
    return RNG.standard_normal(shape).astype("f4")


def brains(*shape):
    """Return numbers of bfloat16."""
    return to_bfloat16(f4(*shape))


def i8(high, *shape):
    return RNG.integers(0, high, shape)


def strided(array):
    """Return the same numbers with gaps and reversed dimensions."""
    wide = np.zeros((*array.shape[:-1], array.shape[-1] * 2), array.dtype)
    wide[..., ::2] = array
    return wide[..., ::2]


def heads(batch, count, length, width):
    """Return an array (batch, count, length, width) whose dimensions in memory are batch, length, count and width."""
    return f4(batch, length, count, width).swapaxes(1, 2)


def lstm():
    steps, batch, features, hidden = 5, 40, 6, 8
    inputs = [f4(steps, batch, features), f4(batch, hidden), f4(batch, hidden), f4(4 * hidden, features),
              f4(4 * hidden, hidden), f4(4 * hidden), f4(4 * hidden), None]  # fmt: skip
    saved, cells = f4(steps, batch, 4 * hidden), f4(steps, batch, hidden)
    return inputs, [f4(steps, batch, hidden), f4(batch, hidden), f4(batch, hidden), saved, cells]


def lstm_grad():
    (x, h, c, w, u, b, _, _), (out, last, _, saved, cells) = lstm()
    gradients = [np.zeros_like(one) for one in (w, u, b, b, x, h, c)]
    return [x, h, c, w, u, out, saved, cells, None, out, last, last], gradients


def resampling():
    starts = np.array([0, 2, 4, 6])
    return (1, SimpleNamespace(length=4, starts=starts, places=np.array([0, 1, 1, 2, 2, 3]), weights=np.full(6, 0.5)))


def gru():
    steps, batch, features, hidden = 3, 5, 6, 8
    inputs = [f4(steps, batch, features), f4(batch, hidden), None, f4(3 * hidden, features), f4(3 * hidden, hidden),
              f4(3 * hidden), f4(3 * hidden), None]  # fmt: skip
    return inputs, [f4(steps, batch, hidden), f4(batch, hidden), f4(0), f4(steps, batch, 4 * hidden), f4(0)]


MATRIX, IMAGES, FILTERS = f4(3, 5), f4(2, 3, 8, 8), f4(4, 3, 3, 3)
LENGTHS = np.array([[6, 2, 0], [6, 3, 2]])
CASES = {  # operator, inputs, outputs, parameters, scalars
    "elementwise": ("add", (strided(MATRIX), f4(5)), (MATRIX,)),
    "elementwise dense": ("exp", (MATRIX,), (MATRIX,)),
    "elementwise scalar": ("mul", (MATRIX, float), (MATRIX,), (), (2.5,)),
    "program": (Program("two", 2, (), (("add", (0, 1)), ("exp", (2,))), (3,)), (strided(MATRIX), f4(5)), (MATRIX,)),
    "program of a half": ("add", (np.ones((3, 4), "f2"), np.ones((3, 4), "f2")), (np.ones((3, 4), "f2"),)),
    "transpose": ("copy", (f4(70, 90).T,), (f4(90, 70),)),
    "transpose cast": ("copy", (f4(70, 90).T,), (np.zeros((90, 70), "f2"),)),
    "matmul": ("matmul", (f4(9, 33), f4(33, 50)), (f4(9, 50),)),
    "matmul swapped": ("matmul", (f4(200, 3).T, f4(7, 200).T), (f4(3, 7),)),
    "matmul of batches": ("matmul", (f4(4, 3, 1, 60, 70), f4(3, 2, 70, 30)), (f4(4, 3, 2, 60, 30),)),
    "matmul of one": ("matmul", (f4(4, 90), f4(90)), (f4(4),)),
    "matmul large": ("matmul", (f4(300, 200), f4(200, 310)), (f4(300, 310),)),
    "matmul deep": ("matmul", (f4(8, 9000), f4(9000, 8)), (f4(8, 8),)),
    "matmul complex": ("matmul", (f4(9, 80).astype("c8"), f4(3, 80).astype("c8").T), (f4(9, 3).astype("c8"),)),
    "matmul complex swapped": ("matmul", (f4(80, 3).astype("c8").T, f4(80, 90).astype("c8")), (f4(90,
        3).astype("c8").T,)),
    "matmul half": ("matmul", (f4(9, 80).astype("f2"), f4(80, 30).astype("f2")), (f4(9, 30).astype("f2"),)),
    "matmul brain": ("matmul", (brains(9, 81), brains(81, 30)), (brains(9, 30),)),
    "linear brain": ("linear", (brains(70, 33), brains(40, 33), brains(40)), (brains(70, 40),)),
    "linear brain swapped": ("linear", (brains(300, 5).T, brains(300, 300), brains(300)), (brains(5, 300),)),
    "attention brain": ("attention", (brains(2, 9, 8), brains(2, 7, 8), brains(2, 7, 5), None), (brains(2, 9, 5),
                        f4(2, 9)), (False,), (0.5, 0.25, 3, 4)),
    "matmul integer": ("matmul", (i8(9, 4, 5), i8(9, 5, 6)), (i8(9, 4, 6),)),
    "linear": ("linear", (f4(40, 33), f4(20, 33), f4(20)), (f4(40, 20),)),
    "linear without": ("linear", (f4(40, 33), f4(20, 33), None), (f4(40, 20),)),
    "convolution": ("conv2d", (IMAGES, FILTERS, f4(4)), (f4(2, 4, 8, 8),), ((1, 1), (1, 1), (1, 1), 1, (8, 8))),
    "convolution input": ("conv2d_input", (f4(2, 4, 8, 8), FILTERS), (IMAGES,), ((1, 1), (1, 1), (1, 1), 1, (8, 8))),
    "convolution weight": ("conv2d_weight", (f4(64, 4, 8, 8), f4(64, 3, 8, 8)), (FILTERS,), ((1, 1), (1, 1),
        (1, 1), 1, (3, 3))),
    "convolution of pixels": ("conv2d", (f4(6, 5, 4, 4), f4(4, 5, 1, 1), None), (f4(6, 4, 4, 4),), ((1, 1), (0, 0), (1,
        1), 1, (4, 4))),
    "convolution of many pixels": ("conv2d", (f4(2, 5, 12, 12), f4(4, 5, 1, 1), f4(4)), (f4(2, 4, 12, 12),), ((1, 1),
        (0, 0), (1, 1), 1, (12, 12))),
    "convolution weight of pixels": ("conv2d_weight", (f4(2, 4, 19, 19), f4(2, 5, 19, 19)), (f4(4, 5, 1, 1),), ((1, 1),
        (0, 0), (1, 1), 1, (1, 1))),
    "depthwise": ("conv2d", (f4(2, 3, 9, 8), f4(6, 1, 3, 3), f4(6)), (f4(2, 6, 5, 4),), ((2, 2), (1, 1), (1, 1), 3,
        (5, 4))),
    "depthwise input": ("conv2d_input", (f4(2, 6, 5, 4), f4(6, 1, 3, 3)), (f4(2, 3, 9, 8),), ((2, 2), (1, 1), (1, 1), 3,
        (9, 8))),
    "depthwise weight": ("conv2d_weight", (f4(2, 6, 5, 4), f4(2, 3, 9, 8)), (f4(6, 1, 3, 3),), ((2, 2), (1, 1), (1, 1),
        3, (3, 3))),
    "recurrent": ("recurrent", *lstm(), ("lstm", False)),
    "recurrent gradient": ("recurrent_grad", *lstm_grad(), ("lstm", False, True, True, True, True)),
    "attention": ("attention", (f4(2, 9, 8), f4(2, 7, 8), f4(2, 7, 6), None), (f4(2, 9, 6), f4(2, 9)), (True,),
        (0.3, 0.0, 0, 0)),
    "attention large": ("attention", (f4(6, 200, 16), f4(6, 200, 16), f4(6, 200, 16), None), (f4(6, 200, 16),
        f4(6, 200)), (False,), (0.3, 0.1, 5, 7)),
    "attention heads": ("attention", (heads(2, 3, 9, 8), heads(2, 3, 7, 8), heads(2, 3, 7, 6), None),
        (heads(2, 3, 9, 6), f4(2, 3, 9)), (True,), (0.3, 0.0, 0, 0)),
    "attention heads gradient": ("attention_grad", (heads(2, 3, 9, 6), heads(2, 3, 9, 8), heads(2, 3, 7, 8),
        heads(2, 3, 7, 6), None, heads(2, 3, 9, 6), f4(2, 3, 9)), (heads(2, 3, 9, 8), heads(2, 3, 7, 8),
        heads(2, 3, 7, 6)), (True,), (0.3, 0.0, 0, 0)),
    "softmax": ("softmax", (strided(MATRIX),), (MATRIX,), (1,)),
    "cross_entropy": ("cross_entropy", (MATRIX, i8(5, 3), None), (np.zeros((), "f4"),), ("mean",), (-100, 0.1)),
    "row_norm": ("layer_norm", (MATRIX, f4(5), f4(5)), (MATRIX, f4(3), f4(3)), (1,), (1e-5,)),
    "row_norm gradient": ("layer_norm_grad", (MATRIX, f4(3, 5), f4(3), f4(3), f4(5)), (f4(3, 5), f4(5), f4(5)), (1,)),
    "batch_norm": ("batch_norm", (IMAGES, f4(3), f4(3), f4(3), f4(3)), (IMAGES, f4(3), f4(3)), (), (0.1, 1e-5)),
    "pooling": ("max_pool2d", (IMAGES,), (f4(2, 3, 4, 4), i8(9, 2, 3, 4, 4)), (((2, 2), (2, 2), (0, 0), (1,
        1)), (4, 4))),
    "reduce": ("sum", (strided(MATRIX),), (f4(3),), ((1,), False)),
    "lines": ("sort", (MATRIX,), (MATRIX, i8(9, 3, 5)), (1, True)),
    "gather": ("gather", (MATRIX, i8(3, 2, 5)), (f4(2, 5),), (0,)),
    "index": ("take", (MATRIX, i8(3, 7)), (f4(7, 5),), (0,)),
    "positions": ("nonzero", (MATRIX > 0,), (np.zeros((int((MATRIX > 0).sum()), 2), "i8"),)),
    "random": ("normal", (), (f4(100),), (), (3, 64, 0.0, 1.0)),
    "dropout": ("dropout", (f4(100),), (f4(100),), (), (0.4, 3, 64)),
    "samples": ("standard_gamma", (abs(f4(100)) + 1,), (f4(100),), (), (3, 64)),
    "ctc": ("ctc_loss", (np.log(np.full((6, 2, 4), 0.25, "f4")), np.array([1, 2, 3, 1, 2]), LENGTHS), (f4(2),
        f4(2, 6, 7)), (3,), (0, 0)),
    "taps": ("gather_taps", (f4(2, 3, 9), f4(2, 4, 5), i8(9, 2, 4, 5)), (f4(2, 3, 5),)),
    "resample": ("resample", (f4(2, 4),), (f4(2, 3),), resampling()),
    "moves": ("inset", (f4(2, 3, 2, 4, 4),), (f4(2, 6, 6),), ((2, 6, 6), (36, 6, 1, 6, 1), 0, (1, 2), 0)),
    "moves filled": ("inset", (f4(2, 3, 4),), (f4(2, 5, 6),), ((2, 5, 6), (30, 6, 1), 7, (), 2.5)),
    "moves reversed": ("flip", (f4(3, 70),), (f4(3, 70),), ((1,),)),
    "transpose reversed": ("flip", (f4(70, 90).T,), (f4(90, 70),), ((0, 1),)),
    "moves interleaved": ("copy", (f4(5, 2, 70).swapaxes(1, 2),), (f4(5, 70, 2),)),
    "triangle": ("triangle", (MATRIX,), (f4(3, 5),), (0, True)),
    "program folded": (Program("squares", 2, (), (("sub", (0, 1)), ("square", (2,))), (3,), "mean"), (MATRIX, f4(5)),
        (np.zeros((), "f4"),)),
    "elementwise quotient": ("floor_divide", (i8(9, 3, 5), 1 + i8(9, 5)), (i8(9, 3, 5),)),
    "elementwise short runs": ("add", (f4(200, 3), f4(3)), (f4(200, 3),)),
    "elementwise transposed": ("mul", (f4(20, 30), f4(30, 20).T), (f4(20, 30),)),
    "elementwise of a half": ("exp", (strided(np.ones((3, 40), "f2")),), (np.ones((3, 40), "f2"),)),
    "convolution of volumes": ("conv2d", (f4(2, 2, 5, 6, 6), f4(4, 2, 3, 3, 3), None), (f4(2, 4, 5, 6, 6),),
        ((1, 1, 1), (1, 1, 1), (1, 1, 1), 1, (5, 6, 6))),
    "convolution input of volumes": ("conv2d_input", (f4(2, 4, 5, 6, 6), f4(4, 2, 3, 3, 3)), (f4(2, 2, 5, 6, 6),),
        ((1, 1, 1), (1, 1, 1), (1, 1, 1), 1, (5, 6, 6))),
    "convolution strided": ("conv2d", (f4(1, 4, 40, 40), f4(6, 2, 3, 3), f4(6)), (f4(1, 6, 2, 2),), ((30, 30), (1, 1),
        (2, 2), 2, (2, 2))),
    "winograd": ("conv2d", (f4(2, 66, 6, 7), f4(80, 33, 3, 3), f4(80)), (f4(2, 80, 6, 6),), ((1, 1), (1, 0), (1, 1), 2,
        (6, 6), "fast")),
    "winograd input": ("conv2d_input", (f4(2, 40, 6, 6), f4(40, 33, 5, 5)), (f4(2, 33, 6, 7),), ((1, 1), (2, 1), (1, 1),
        1, (6, 7), "fast")),
    "winograd weight": ("conv2d_weight", (f4(2, 40, 6, 6), f4(2, 33, 6, 7)), (f4(40, 33, 3, 3),), ((1, 1), (1, 0),
        (1, 1), 1, (3, 3), "fast")),
    "winograd then": ("conv2d_then", (f4(2, 16, 6, 7), f4(20, 16, 3, 3), f4(20)), (f4(2, 20, 3, 3),), ((1, 1), (1, 1),
        (1, 1), 1, (6, 7), ("max_pool2d", "relu"), "fast")),
    "winograd normalized": ("conv2d_then", (f4(2, 16, 6, 7), f4(20, 16, 3, 3), f4(20), f4(20), f4(20), f4(20),
        abs(f4(20))), (f4(2, 20, 3, 3),), ((1, 1), (1, 1), (1, 1), 1, (6, 7), (("batch_norm", 1e-5), "max_pool2d",
        "relu"), "fast")),
    "shallow normalized": ("conv2d_then", (f4(2, 3, 9, 34), f4(5, 3, 3, 3), f4(5), None, None, f4(5), abs(f4(5))),
        (f4(2, 5, 9, 16),), ((1, 2), (1, 0), (1, 1), 1, (9, 16), (("batch_norm", 1e-5),))),
    "depthwise normalized": ("conv2d_then", (f4(2, 3, 9, 14), f4(6, 1, 3, 3), f4(6), f4(6), f4(6), f4(6), abs(f4(6))),
        (f4(2, 6, 9, 14),), ((1, 1), (1, 1), (1, 1), 3, (9, 14), (("batch_norm", 1e-5), "relu"))),
    "shallow then": ("conv2d_then", (f4(2, 3, 9, 34), f4(5, 3, 3, 3), f4(5)), (f4(2, 5, 4, 8),), ((1, 2), (1, 0),
        (1, 1), 1, (9, 16), ("max_pool2d",))),
    "depthwise then": ("conv2d_then", (f4(2, 3, 9, 14), f4(6, 1, 3, 3), f4(6)), (f4(2, 6, 4, 7),), ((1, 1), (1, 1),
        (1, 1), 3, (9, 14), ("max_pool2d", "relu"))),
    "shallow": ("conv2d", (f4(2, 3, 9, 34), f4(5, 3, 3, 3), f4(5)), (f4(2, 5, 9, 16),), ((1, 2), (1, 0), (1, 1), 1,
        (9, 16))),
    "shallow input": ("conv2d_input", (f4(2, 5, 9, 16), f4(5, 3, 3, 3)), (f4(2, 3, 9, 16),), ((1, 1), (1, 1), (1, 1), 1,
        (9, 16))),
    "shallow weight": ("conv2d_weight", (f4(2, 5, 40, 64), f4(2, 3, 40, 64)), (f4(5, 3, 3, 3),), ((1, 1), (1, 1),
        (1, 1), 1, (3, 3))),
    "recurrent gru": ("recurrent", *gru(), ("gru", True)),
    "attention gradient": ("attention_grad", (f4(2, 9, 6), f4(2, 9, 8), f4(2, 7, 8), f4(2, 7, 6), f4(2, 9, 7) > 0,
        f4(2, 9, 6), f4(2, 9)), (f4(2, 9, 8), f4(2, 7, 8), f4(2, 7, 6)), (False,), (0.3, 0.1, 0, 0)),
    "softmax columns": ("softmax", (f4(9, 5, 3),), (f4(9, 5, 3),), (1,)),
    "softmax gradient": ("softmax_grad", (MATRIX, f4(3, 5)), (f4(3, 5),), (1,)),
    "cross_entropy gradient": ("cross_entropy_grad", (f4(3), MATRIX, i8(5, 3), abs(f4(5))), (f4(3, 5),), ("none",),
        (-100, 0.1)),
    "row_norm without mean": ("rms_norm", (MATRIX, f4(5)), (MATRIX, f4(3)), (1,), (1e-5,)),
    "row_norm by lengths": ("unit_rows", (MATRIX,), (MATRIX, f4(3)), (1,), (1e-12,)),
    "row_norm by lengths, gradient": ("unit_rows_grad", (f4(3, 5), MATRIX, f4(3)), (f4(3, 5),), (1,)),
    "row_norm of pairs": ("cosine_rows", (MATRIX, MATRIX), (f4(3), f4(3), f4(3)), (1,), (1e-8,)),
    "row_norm of pairs, gradient": ("cosine_rows_grad", (f4(3), MATRIX, MATRIX, *f4(3, 3)), (f4(3, 5),), (1,)),
    "row_norm of groups": ("group_norm_grad", (IMAGES, f4(*IMAGES.shape), f4(6), f4(6), f4(3)), (f4(*IMAGES.shape),
        f4(3), f4(3)), (3,)),
    "batch_norm counted": ("batch_norm_counted", (IMAGES, f4(3), None, f4(3), f4(3), i8(9)), (IMAGES, f4(3), f4(3)), (),
        (1e-5,)),
    "batch_norm of halves": ("batch_norm", (to_bfloat16(IMAGES), f4(3), brains(3), f4(3), brains(3)),
        (to_bfloat16(IMAGES), f4(3), f4(3)), (), (0.1, 1e-5)),
    "batch_norm given": ("batch_norm_eval", (IMAGES, f4(3), f4(3), f4(3), abs(f4(3))), (IMAGES,), (), (1e-5,)),
    "batch_norm gradient": ("batch_norm_grad", (IMAGES, f4(*IMAGES.shape), f4(3), f4(3), f4(3)), (f4(*IMAGES.shape),
        f4(3), f4(3))),
    "response": ("local_response_norm", (IMAGES,), (IMAGES,), (3,), (1e-4, 0.75, 1.0)),
    "response gradient": ("local_response_norm_grad", (f4(2, 3, 8), f4(2, 3, 8)), (f4(2, 3, 8),), (3,),
        (1e-4, 0.6, 1.0)),
    "pooling means": ("avg_pool2d", (IMAGES,), (f4(2, 3, 4, 4),), (((3, 3), (2, 2), (1, 1), True, None), (4, 4))),
    "pooling means back": ("avg_pool2d_grad", (f4(2, 3, 4, 4),), (f4(2, 3, 8, 8),), (((3, 3), (2, 2), (1, 1), True,
        None), (4, 4))),
    "pooling of halves": ("avg_pool2d", (to_bfloat16(IMAGES),), (brains(2, 3, 4, 4),), (((3, 3), (2, 2), (1, 1), True,
        None), (4, 4))),
    "pooling back": ("max_pool2d_grad", (f4(2, 3, 4, 4), i8(64, 2, 3, 4, 4)), (f4(2, 3, 8, 8),), (None, (4, 4))),
    "pooling values": ("max_pool2d_values", (IMAGES,), (f4(2, 3, 4, 4),), (((2, 2), (2, 2), (0, 0), (1, 1)), (4, 4))),
    "pooling values back": ("max_pool2d_values_grad", (f4(2, 3, 8, 8), IMAGES), (f4(2, 3, 8, 8),), (((3, 3), (1, 1),
        (1, 1), (1, 1)), (8, 8))),
    "pooling small": ("max_pool2d_values", (f4(40, 4, 6),), (f4(40, 3, 5),), (((2, 2), (1, 1), (0, 0), (1, 1)), (3,
        5))),
    "pooling small back": ("max_pool2d_values_grad", (f4(40, 3, 5), f4(40, 4, 6)), (f4(40, 4, 6),), (((2, 2), (1, 1),
        (0, 0), (1, 1)), (4, 6))),
    "pooling small means": ("avg_pool2d", (f4(40, 4, 6),), (f4(40, 3, 5),), (((2, 2), (1, 1), (0, 0), True, None),
        (3, 5))),
    "pooling small means back": ("avg_pool2d_grad", (f4(40, 3, 5),), (f4(40, 4, 6),), (((2, 2), (1, 1), (0, 0), True,
        None), (4, 6))),
    "pooling picked": ("max_pool2d_pick", (IMAGES, i8(64, 2, 3, 4, 4)), (f4(2, 3, 4, 4),), (None, (4, 4))),
    "reduce places": ("max_dim", (f4(20, 30),), (f4(30), i8(9, 30)), (0, False)),
    "reduce spread": ("var", (strided(f4(40, 70)),), (f4(40),), ((1,), False, 1, True)),
    "reduce norms": ("norm_p", (f4(40, 70),), (f4(40),), ((1,), False, 3.0)),
    "reduce log_sum_exp": ("log_sum_exp", (f4(40, 70),), (f4(40),), ((1,), False)),
    "reduce pieces": ("sum", (f4(70000),), (np.zeros((), "f4"),), ((0,), False)),
    "lines first": ("topk", (f4(3, 50),), (f4(3, 20), i8(9, 3, 20)), (20, 1, True, True)),
    "lines rank": ("kthvalue", (f4(3, 50),), (f4(3, 1), i8(9, 3, 1)), (1, 7)),
    "lines search": ("search_sorted", (np.sort(f4(3, 9)), f4(3, 4)), (i8(9, 3, 4),), (True,)),
    "lines sums": ("cumsum", (f4(3, 9, 2),), (f4(3, 9, 2),), (1, True)),
    "lines extremes": ("cummax", (f4(3, 9),), (f4(3, 9), i8(9, 3, 9)), (1, False)),
    "lines recurrence": ("recurrence", (f4(3, 9), f4(3, 9)), (f4(3, 9),), (1, True)),
    "lines products back": ("cumprod_grad", (f4(3, 9), f4(3, 9), f4(3, 9)), (f4(3, 9),), (1,)),
    "lines extremes back": ("extreme_grad", (f4(3, 9), np.sort(i8(9, 3, 9), 1)), (f4(3, 9),), (1,)),
    "lines shares": ("extreme_shares", (f4(3, 9), f4(3, 1), f4(3, 1)), (f4(3, 9),), (1, True)),
    "lines log": ("logcumsumexp", (f4(3, 9),), (f4(3, 9),), (0, False)),
    "gather back": ("gather_back", (f4(2, 5), i8(3, 2, 5)), (f4(3, 5),), ((3, 5), 0)),
    "scatter": ("scatter", (i8(3, 2, 5), f4(2, 5)), (f4(3, 5),), (0, "amax")),
    "scatter copy": ("scatter_copy", (f4(3, 5), i8(5, 3, 2), f4(3, 2)), (f4(3, 5),), (1, "sum")),
    "index put": ("put", (i8(3, 2), f4(2, 5)), (f4(3, 5),), (0, True)),
    "index back": ("take_back", (f4(4, 5), i8(3, 4)), (f4(3, 5),), ((3, 5), 0, 1)),
    "index inner": ("take", (f4(4, 6, 5), i8(6, 2, 3)), (f4(4, 2, 3, 5),), (1,)),
    "merge positions": ("merged_positions", (i8(4, 3, 5), i8(6, 3, 5)), (i8(9, 3, 5),), (4, 6)),
    "positions flat": ("nonzero_flat", (MATRIX > 0,), (np.zeros(int((MATRIX > 0).sum()), "i8"),)),
    "random whole": ("randint", (), (i8(9, 100),), (), (3, 64, 0, 9)),
    "ctc gradient": ("ctc_loss_grad", (f4(2), np.log(np.full((6, 2, 4), 0.25, "f4")), np.array([1, 2, 3, 1, 2]),
        LENGTHS, abs(f4(2)), f4(2, 6, 7)), (f4(6, 2, 4),), (3,), (0, 0)),
    "taps back": ("scatter_taps", (f4(2, 3, 5), f4(2, 4, 5), i8(9, 2, 4, 5)), (f4(2, 3, 9),)),
    "taps weights": ("weigh_taps", (f4(2, 3, 5), f4(2, 3, 9), i8(9, 2, 4, 5)), (f4(2, 4, 5),)),
    "resample rows": ("resample", (f4(4, 3),), (f4(3, 3),), (0, *resampling()[1:])),
    "resample images": ("resample", (f4(2, 4, 4),), (f4(2, 3, 3),), (*resampling(), resampling()[1], True)),
    "resample images last": ("resample", (f4(9, 4, 4),), (f4(9, 3, 3),), (*resampling(), resampling()[1], False)),
    "elimination": ("solve_ex", (np.eye(4, dtype="f4") * 3 + f4(4, 4), f4(3, 4, 2)), (f4(3, 4, 2), np.zeros(3, "i4"))),
    "elimination lu": ("lu_factor_ex", (f4(2, 5, 3),), (f4(2, 5, 3), np.zeros((2, 3), "i4"), np.zeros(2, "i4"))),
    "elimination inverse": ("inv_ex", (f4(2, 3, 3),), (f4(2, 3, 3), np.zeros(2, "i4"))),
    "elimination factor": ("cholesky_ex", (np.eye(3, dtype="f4"),), (f4(3, 3), np.zeros((), "i4")), (True,)),
    "elimination number": ("det", (f4(2, 3, 3),), (f4(2),)),
    "elimination numbers": ("slogdet", (f4(2, 3, 3),), (f4(2), f4(2))),
    "elimination moves": ("permutation_of", (np.array([2, 2], "i4"),), (f4(3, 3),), (3,)),
    "decomposition": ("qr", (f4(2, 5, 3),), (f4(2, 8, 3),), (False,)),
    "decomposition blocks": ("qr", (f4(2, 70, 3),), (f4(2, 73, 3),), (False,)),
    "decomposition inverse": ("pinv", (f4(2, 5, 3), abs(f4(2)), abs(f4(1)) / 9), (f4(2, 3, 5), np.zeros(2, "i4")),
        (False,)),
    "decomposition half": ("qr_r", (f4(2, 3, 5),), (f4(2, 3, 5),)),
    "decomposition symmetric": ("eigh", (f4(2, 3, 3),), (f4(2, 4, 3), np.zeros(2, "i4")), (True,)),
    "decomposition values": ("eigvalsh", (f4(3, 3),), (f4(3), np.zeros((), "i4")), (False,)),
    "decomposition singular": ("svd", (f4(2, 3, 5),), (f4(2, 9, 5), np.zeros(2, "i4")), (True,)),
    "decomposition singular values": ("svdvals", (f4(2, 3, 5),), (f4(2, 3), np.zeros(2, "i4"))),
    "fft": ("fft_complex", (f4(3, 200) * (1 + 2j),), (np.zeros((3, 200), "c8"),), ((1, 0), False, "backward")),
    "fft whole": ("fft_complex", (f4(3, 20),), (np.zeros((3, 20), "c8"),), ((1,), True, "ortho")),
    "fft half": ("fft_from_real", (f4(3, 41),), (np.zeros((3, 21), "c8"),), ((0, 1), "backward")),
    "fft real": ("fft_to_real", (f4(3, 9) * (1 + 2j),), (f4(3, 16),), ((0, 1), 16, "forward")),
    "triangular_solve": ("triangular_solve", (np.eye(4, dtype="f4") * 3 + np.triu(f4(4, 4)), f4(4, 6)), (f4(4,
        6),), (True, False)),
    "triangular_solve factors": ("solve_factors", (np.array([[2, 2]] * 3, "i4"), f4(3, 2, 2) + 9, f4(3, 2, 5)),
        (f4(3, 2, 5),), (True,)),
}  # fmt: skip
MANY = {  # rows of tensors, each changed in place, and the scalars before them
    "step": ("sgd_step", [[f4(70), f4(70), f4(70)], [f4(3), f4(3), f4(3)]], (0.1, 0.01, 1.0, 0.9, 1.0, 0.0)),
    "step that counts": ("nadam_step", [[f4(70), f4(70), f4(70), abs(f4(70)), np.ones((), "f4"), np.ones((), "f4")]],
                         (0.1, 0.9, 0.99, 1e-8, 0.0, 1.0, 1.0, 0.004)),
    "adafactor": ("adafactor_step", [[MATRIX, f4(3, 5), abs(f4(3, 1)), abs(f4(1, 5)), np.ones((), "f4")]],
                  (0.01, 0.8, 1e-30, 1e-3, 1.0, 0.0, 1.0)),
}  # fmt: skip
