"""Checks for tests that an error's message names the operation, the argument, the value and the remedy."""

from __future__ import annotations

import re

from ._classes import FaculaError
from ._public import published as _published

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

__all__ = ["raises"]


class raises:
    """Expect the block to raise a `FaculaError` of a class, with a complete message.

    A message has the form `OPERATION: CLAUSE; CLAUSE`. The first clause states the expectation or the problem. At least
    one further clause, after `; ` or in the next line, shows the value (`got VALUE`) or the remedy.

    Arguments:
        kind: the class of the error, or a tuple of them.
        operation: the called function or class, with which the message begins. Text after `": "` is the first of
            `texts`, so that one string can be an entry of a table.
        texts: whole words of the message, or of its notes: the argument, the expectation, the remedy.
        value: the value that the message shows after `got`, as text, or an object that it shows by `repr`. It begins in
            the clause of `got`, and not within a word, within a number or after a quotation mark.

    `...` in `operation` and `texts` stands for any characters. Nothing else is special.

    The block's error is the attribute `value` of the object that the `with` statement returns. Raises AssertionError
    with the complete message unless it has this form and contains all of these.

    >>> from facula_errors import InvalidValueError
    >>> with raises(ValueError, "take", "count", "at least 0", value=-1):
    ...     raise InvalidValueError("take: expected count to be at least 0; got -1")
    >>> with raises(ValueError, "take: count to be ... 0", value=-1):
    ...     raise InvalidValueError("take: count is below 0")
    Traceback (most recent call last):
    AssertionError: expected 'take: CLAUSE; CLAUSE', 'count to be ... 0', 'got ... -1' in the message
    take: count is below 0
    """

    value: FaculaError

    def __init__(
        self, kind: type[Exception] | tuple[type[Exception], ...], operation: str, *texts: str, value: object = ...
    ) -> None:
        self.kind = kind
        self.operation, _, text = operation.partition(": ")
        self.patterns = {repr(one): _pattern(one) for one in (text, *texts) if one}
        if value is not ...:
            value = value if isinstance(value, str) else repr(value)
            self.patterns[repr(f"got ... {value}")] = (
                r"\bgot (?:(?!; |\n).)*(?<![\w.+\-'\"])" + _pattern(value) + r"(?![+-]\d)"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> bool:
        __tracebackhide__ = True  # pytest shows the test's line
        if error is None:
            raise AssertionError(f"expected {self.kind}; got no error")
        if not isinstance(error, self.kind):
            return False
        if not isinstance(error, FaculaError):
            raise AssertionError(f"expected a FaculaError; got {error!r}")
        self.value = error
        message = re.sub(r"^\[Errno \d+\] ", "", str(error))
        shown = "\n".join([message, *getattr(error, "__notes__", [])])
        missing = [one for one, pattern in self.patterns.items() if not re.search(pattern, shown, re.DOTALL)]
        if not re.match(rf"{_pattern(self.operation)}: .+(; |\n)\s*\S", message):
            missing.insert(0, f"'{self.operation}: CLAUSE; CLAUSE'")
        if missing:
            raise AssertionError(f"expected {', '.join(missing)} in the message\n{shown}")
        return True


def _pattern(text: str) -> str:
    """Return the regular expression of a text with `...`, which neither begins nor ends within a word."""
    return r"(?:(?<!\w)|(?=\W))" + ".*".join(map(re.escape, re.split(r" ?\.\.\. ?", text))) + r"(?:(?!\w|\.\d)|(?<=\W))"


__dir__ = _published(__name__)
