"""facula.testing: comparisons for tests. The names of facula_tensor.testing."""

from facula_tensor.testing import assert_close

from ._names import publish

__all__ = ["assert_close"]

publish(__name__)
