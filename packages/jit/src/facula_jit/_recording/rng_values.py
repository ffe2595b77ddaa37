"""Seeds and offsets of random generators that differ between replays and know their generator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Protocol, Self

    class Breaking(Protocol):
        def broken(self, problem: str, remedy: str) -> None: ...


MAX_INT64 = (1 << 63) - 1


class RngValue(int):
    """A seed or a stream offset of a generator among the arguments of a launch.

    Its value is the number that the first run uses. A replay uses the generator's current number (selected by `source`)
    plus `delta`. Arithmetic other than addition would produce a plain number that replays reuse; it breaks the capture,
    and the message names the operation.
    """

    recorder: Breaking
    source: int
    delta: int

    @classmethod
    def of(cls, value: int, recorder: Breaking, source: int, delta: int) -> Self:
        """Create a value that is linked to a generator.

        Arguments:
            value: the current number.
            recorder: it is notified of arithmetic.
            source: twice the index of the generator for its seed, plus one for its offset.
            delta: the difference from the generator's own number.
        """
        made = cls(value)
        made.recorder, made.source, made.delta = recorder, source, delta
        return made

    def __and__(self, mask: int) -> int:
        return self if mask == MAX_INT64 and self >= 0 else self._plain("&", int(self) & mask)

    def __add__(self, more: int) -> int:
        return RngValue.of(int(self) + more, self.recorder, self.source, self.delta + more)

    __radd__ = __add__

    def __sub__(self, less: int) -> int:
        if isinstance(less, RngValue) and less.source == self.source:
            return int(self) - int(less)
        return self + -int(less)

    def _plain(self, sign: str, value: Any) -> Any:
        self.recorder.broken(f"a random offset is computed with ({sign})", "use an operator for each draw")
        return value

    def __mul__(self, other: int) -> Any:
        return self._plain("*", int(self) * other)

    __rmul__ = __mul__

    def __floordiv__(self, other: int) -> Any:
        return self._plain("//", int(self) // other)

    def __mod__(self, other: int) -> Any:
        return self._plain("%", int(self) % other)

    def __xor__(self, other: int) -> Any:
        return self._plain("^", int(self) ^ other)

    def __rshift__(self, other: int) -> Any:
        return self._plain(">>", int(self) >> other)

    def __lshift__(self, other: int) -> Any:
        return self._plain("<<", int(self) << other)
