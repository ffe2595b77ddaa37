"""The operators of `Variable`, by name: which record, and which do not. `_operators.py` fills these in."""

from __future__ import annotations

from facula_errors import MissingAttributeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Namespace:
    """The operators in one of two forms: which record, or which do not."""

    def __getattr__(self, name: str) -> Any:
        raise MissingAttributeError(f"Variable has no operator {name!r}")


no_record_ops, recorded_ops = Namespace(), Namespace()
