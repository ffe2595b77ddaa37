"""An alias of Any for values that may have any type by design."""

from __future__ import annotations

from typing import Any, TypeAlias

AnyValue: TypeAlias = Any  # arguments and results of a program's own functions, contents of files and batches
