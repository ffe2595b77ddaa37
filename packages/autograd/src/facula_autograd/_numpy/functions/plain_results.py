"""Functions whose results are plain: booleans, indices, counts, shapes, dtypes. They receive plain values."""

from __future__ import annotations

from .table import np

PLAIN = {
    # comparisons and tests
    np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal,
    np.logical_and, np.logical_or, np.logical_xor, np.logical_not, np.all, np.any,
    np.isnan, np.isinf, np.isfinite, np.signbit, np.isneginf, np.isposinf, np.isreal, np.iscomplex,
    np.isrealobj, np.iscomplexobj, np.isclose, np.allclose, np.array_equal, np.array_equiv, np.isin,
    np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert, np.left_shift, np.right_shift, np.gcd, np.lcm,
    # positions and counts
    np.argmax, np.argmin, np.nanargmax, np.nanargmin, np.argsort, np.argpartition, np.lexsort, np.searchsorted,
    np.argwhere, np.nonzero, np.flatnonzero, np.count_nonzero, np.digitize,
    np.tril_indices_from, np.triu_indices_from, np.diag_indices_from,
    # shapes and dtypes
    np.shape, np.ndim, np.size, np.zeros_like, np.ones_like, np.empty_like,
    np.result_type, np.can_cast, np.common_type, np.min_scalar_type, np.shares_memory, np.may_share_memory,
    # text
    np.array_repr, np.array_str, np.array2string,
}  # fmt: skip
