"""facula.testing: comparisons for tests. The names of facula_tensor.testing."""

from __future__ import annotations

from typing import Any

from facula_errors.extend import boundary, warn
from facula_tensor import Tensor, as_tensor
from facula_tensor.testing import assert_close

from ._names import publish

__all__ = ["assert_allclose", "assert_close"]

# Relative and absolute difference that was once close, by dtype.
_TOLERANCES = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}


@boundary
def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """`assert_close` as it was once called: NaN is close to NaN, dtypes may differ, and arrays and numbers will do.

    `rtol` and `atol`, both or neither, are by the coarser dtype where left out: float32 1e-4 and 1e-5, float64 1e-5 and
    1e-8, float16 1e-3 both, others 0. A warning says that `assert_close` is the name.
    """
    warn("assert_allclose: assert_close has taken its place", FutureWarning)
    found, wanted = [one if isinstance(one, Tensor) else as_tensor(one) for one in (actual, expected)]
    if rtol is None and atol is None:
        known = [_TOLERANCES.get(one.dtype.name, (0.0, 0.0)) for one in (found, wanted)]
        rtol, atol = max(one[0] for one in known), max(one[1] for one in known)
    options: dict[str, Any] = {"rtol": rtol, "atol": atol, "equal_nan": equal_nan, "msg": msg or None}
    assert_close(found, wanted, check_device=True, check_dtype=False, **options)


publish(__name__)
