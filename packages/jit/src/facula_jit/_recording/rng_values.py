"""Numbers that change from replay to replay, and know where they are from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Protocol, Self

    class Breaking(Protocol):
        def broken(self, problem: str, remedy: str) -> None: ...


MAX_INT64 = (1 << 63) - 1


class RngValue(int):
    """A seed, or a place in a generator's stream, among the arguments of a launch.

    It is the number that the first run uses. A replay takes the generator's own (`source` says which) plus `delta`.
    Arithmetic gives a plain number, which a replay would use again: it breaks the capture, by name.
    """

    recorder: Breaking
    source: int
    delta: int

    @classmethod
    def of(cls, value: int, recorder: Breaking, source: int, delta: int) -> Self:
        """A cell of this value.

        Arguments:
            value: the number now.
            recorder: what is told of arithmetic.
            source: twice the generator's place for its seed, one more for its offset.
            delta: what is added to the generator's own number.
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
        self.recorder.broken(f"a random number's place is computed with ({sign})", "draw with an operator of its own")
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
