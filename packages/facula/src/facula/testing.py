"""facula.testing: comparisons for tests. The names of facula_tensor.testing."""

from __future__ import annotations

from facula_errors.extend import boundary, warn
from facula_tensor import Tensor, as_tensor
from facula_tensor.testing import assert_close

from ._lookup.names import publish
from ._types import AnyValue

__all__ = ["assert_allclose", "assert_close"]

# Default relative and absolute tolerances of the deprecated function, by dtype.
_TOLERANCES = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}


@boundary
def assert_allclose(
    actual: AnyValue,
    expected: AnyValue,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """Deprecated form of `assert_close`: NaN equals NaN, dtypes may differ, and arrays and numbers are allowed.

    Warns that the function is deprecated. Raises the errors of `assert_close`.

    Arguments:
        actual: the computed value.
        expected: the expected value.
        rtol, atol: the relative and absolute tolerances, both or neither; the defaults depend on the coarser dtype:
            float32 1e-4 and 1e-5, float64 1e-5 and 1e-8, float16 1e-3 both, others 0.
        equal_nan: whether NaN equals NaN.
        msg: the error's message, in place of the report of the difference.
    """
    warn("assert_allclose: assert_close has taken its place", FutureWarning)
    found, wanted = [value if isinstance(value, Tensor) else as_tensor(value) for value in (actual, expected)]
    if rtol is None and atol is None:
        known = [_TOLERANCES.get(tensor.dtype.name, (0.0, 0.0)) for tensor in (found, wanted)]
        rtol, atol = max(tolerance[0] for tolerance in known), max(tolerance[1] for tolerance in known)
    assert_close(found, wanted, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None)


publish(__name__)
