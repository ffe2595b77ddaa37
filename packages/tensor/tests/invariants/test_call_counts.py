"""A second call of an operator runs at most 3 Python functions with default arguments, and 5 with options.

The method or function itself counts. All samples of the matrix are counted: functions, forms in place and `out=`, with
and without recording. The limits hold for calls that run one operator; `ABOVE` lists those that exceed them.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
from call_counts import Count

UNLIMITED = "the kernel calls NumPy"
ABOVE: dict[str, dict[str, int]] = {
    UNLIMITED: {"adjugate": 37, "adjugate_grad": 60, "matrix_exp": 45},
    "decompositions and transforms check shapes and dtypes, and the status": {
        "cholesky_ex": 10, "det": 9, "fft": 21, "fft2": 25, "fftn": 24, "ifft": 19, "ifft2": 25, "ifftn": 21,
        "inv_ex": 10, "lu_factor": 14, "lu_factor_ex": 10, "lu_solve": 26, "pinverse": 32, "qr": 14, "rfft": 19,
        "rfft2": 25, "slogdet": 11, "solve_ex": 21, "tensorinv": 20,
    },
    "the slow path: a form in place or `out=` of elements that are selected, of other layouts, or recorded": {
        "add_, recorded": 129, "clamp_, recorded": 107, "conj_physical_": 34, "conj_physical_, recorded": 63,
        "copy_": 58, "copy_, recorded": 58, "fill_": 86, "fill_, recorded": 86, "gather": 47, "index_add": 64,
        "index_add_": 67, "index_copy": 36, "index_copy_": 66, "index_select": 45, "isnan": 39, "masked_fill_": 96,
        "pow": 50, "scatter": 68, "scatter_add": 69, "scatter_reduce": 68, "sub": 53, "sub_": 108,
        "sub_, recorded": 138, "take": 41, "tril": 28, "triu": 28, "vstack": 126, "zero_": 86, "zero_, recorded": 86,
    },
    "losses check the target, and reduce": {
        "gaussian_nll_loss": 23, "glu": 7,
        "binary_cross_entropy": 7, "binary_cross_entropy_with_logits": 7, "hinge_embedding_loss": 13, "huber_loss": 8,
        "kl_div": 7, "l1_loss": 10, "margin_ranking_loss": 21, "mse_loss": 7, "poisson_nll_loss": 12,
        "smooth_l1_loss": 8, "soft_margin_loss": 11,
    },
    "reductions check dimensions, and read the operand at one moment": {
        "amax": 4, "amin": 13, "argmax": 4, "argsort": 6, "cummax": 6, "cummin": 6, "cumprod": 10, "cumsum": 10,
        "logcumsumexp": 6, "logsumexp": 8, "median": 15, "msort": 6, "nanmedian": 7, "norm": 15, "prod": 12, "sort": 5,
        "std": 8, "sum": 12, "topk": 8, "var": 14, "vector_norm": 9,
    },
    "windows have a geometry, which is stored by shape": {
        "adaptive_avg_pool2d": 4, "adaptive_max_pool2d": 6, "adaptive_max_pool2d_with_indices": 6,
        "constant_pad_nd": 14, "conv3d": 6, "conv_transpose2d": 6, "fold": 10, "interpolate": 14,
        "max_pool2d_with_indices": 5, "max_unpool1d": 63, "max_unpool2d": 63, "max_unpool3d": 63, "pad": 14,
    },
    "views check sizes or dimensions": {
        "adjoint": 6, "alias_copy": 6, "as_strided": 16, "as_strided_copy": 21, "atleast_1d": 9, "atleast_2d": 9,
        "atleast_3d": 9, "bucketize": 33, "diagflat": 21, "dsplit": 22, "dstack": 21, "fftshift": 24, "flip": 12,
        "hsplit": 22, "ifftshift": 24, "inner": 27, "kron": 21, "mH": 8, "narrow_copy": 8, "permute": 4,
        "prelu": 9, "ravel": 5, "repeat": 10, "repeat_interleave": 54, "reshape": 6, "roll": 17, "rot90": 11,
        "searchsorted": 31, "slice_copy": 11, "split_with_sizes": 7, "sum_to_size": 11, "take_along_dim": 18,
        "tensor_split": 18, "tile": 9, "unflatten": 10, "unsafe_split_with_sizes": 7, "view_copy": 8,
    },
    "operands are checked or prepared in Python": {
        "alpha_dropout": 6, "batch_norm": 7, "cat": 5, "combinations": 17, "conj": 4, "conj_physical": 6, "deg2rad": 8,
        "deg2rad_": 6, "detach_copy": 6, "diag": 17, "diag_embed": 18, "diagonal": 5, "dropout1d": 7, "dropout2d": 6,
        "dropout3d": 7, "embedding": 11, "feature_alpha_dropout": 6, "fill": 8, "fliplr": 6, "flipud": 6, "hardtanh": 7,
        "hstack": 16, "imag": 4, "instance_norm": 10, "isneginf": 9, "isposinf": 9, "isreal": 11, "layer_norm": 6,
        "local_response_norm": 13, "logical_not": 7, "masked_fill": 19, "nan_to_num": 14, "nan_to_num_": 12,
        "one_hot": 20, "polygamma": 8, "pow": 51, "rad2deg": 8, "rad2deg_": 6, "real": 4, "relu6": 7,
        "scaled_dot_product_attention": 38, "scatter_": 6, "scatter_add_": 6, "selu": 6, "sgn": 8, "signbit": 9,
        "sinc": 6, "sinc_, recorded": 4, "solve_triangular": 19, "vdot": 7, "view_as_complex": 8,
        "cosine_similarity": 6,
    },
}  # fmt: skip
"""Reasons for more calls, and their largest number for each function. For NumPy's kernels it depends on NumPy."""
KNOWN = {name: number for names in ABOVE.values() for name, number in names.items()}


@pytest.fixture(scope="module")
def counts() -> list[Count]:
    """Counted in a process of its own: shapes that other tests use change which plans are stored."""
    program = Path(__file__).with_name("call_counts.py")
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [Count(*row) for row in json.loads(done.stdout)]


def is_of_sample(count: Count) -> bool:
    """Whether a sample is named after the called function: other functions only prepare operands or read results."""
    found = re.match(r"(?:operator )?(?:\w+\.)*(\w*)", count.sample)
    return found is not None and found[1].strip("_") == count.function.strip("_")


def named(count: Count) -> str:
    """The name in `ABOVE`."""
    return f"{count.function}{', recorded' * (count.recorded and count.form == 'in place')}"


def above(counts: list[Count]) -> dict[str, list[str]]:
    """The longest list of calls of each function that exceeds its limit."""
    found: dict[str, list[str]] = defaultdict(list)
    for count in filter(is_of_sample, counts):
        if count.launches < 2 and len(count.calls) > max(count.limit, len(found[named(count)])):
            found[named(count)] = count.calls
    return {name: calls for name, calls in found.items() if calls}


def test_operators_make_few_calls(counts):
    assert len(list(filter(is_of_sample, counts))) > 1500
    unlimited = ABOVE.get(UNLIMITED, {})
    more = {name: calls for name, calls in above(counts).items() if name not in unlimited}
    assert not {name: calls for name, calls in more.items() if len(calls) > KNOWN.get(name, 0)}


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="comprehensions are no calls from 3.12 on")
def test_exceptions_are_still_needed(counts):
    assert not KNOWN.keys() - above(counts).keys(), "no longer exceptions"
