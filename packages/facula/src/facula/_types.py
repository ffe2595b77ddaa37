"""A name for what is of any type by design."""

from __future__ import annotations

from typing import Any, TypeAlias

AnyValue: TypeAlias = Any  # what a program's own functions take and give, and what its files and batches hold
