"""Which numbers of an optimizer's launches follow which of its options, found by trying other values."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._refill import Refill


class Follows(NamedTuple):
    """A number of an operator's launches: base + factor * the option."""

    operator: int
    place: int
    base: float
    factor: float


def followers(refill: Refill) -> dict[str, tuple[float, list[Follows]]]:
    """The options that can be set by themselves: of each its value, and the numbers that follow it.

    An option is left out where a number depends on it in any other way than base + factor * option, with a base of 0 or
    1 and a factor that is 1, another option or its negative (as 1 - lr * weight_decay); and one on whose value it
    depends which operators are called.
    """
    group = refill.numbers.group
    values = {name: one for name, one in group.items() if type(one) in (int, float) and isfinite(one)}
    present = refill.present_numbers()
    found: dict[str, tuple[float, list[Follows]]] = {}
    for name, value in values.items() if present is not None else ():
        tried = [float(value), value / 2 + 0.03125, value / 4 + 0.0078125]
        answers = [_numbers_with(refill, name, one) for one in tried]
        factors = [1.0, *[sign * float(one) for other, one in values.items() if other != name for sign in (-1, 1)]]
        follows = _fits(tried, answers, factors)
        if follows and answers[0] == [tuple(one) for one in present or ()]:
            found[name] = float(value), follows
    shared = [(one.operator, one.place) for _, follows in found.values() for one in follows]
    return {
        name: (value, follows)
        for name, (value, follows) in found.items()
        if name == "lr" or all([shared.count((one.operator, one.place)) == 1 for one in follows])
    }


def _numbers_with(refill: Refill, name: str, value: float) -> list[tuple[float, ...]] | None:
    """The numbers for another value of an option, which is put back."""
    group, before = refill.numbers.group, refill.numbers.group[name]
    group[name] = value
    try:
        numbers = refill.present_numbers()
    except ValueError:  # which the optimizer refuses
        return None
    finally:
        group[name] = before
    return None if numbers is None else [tuple(map(float, one)) for one in numbers]


def _fits(
    tried: Sequence[float], answers: Sequence[list[tuple[float, ...]] | None], factors: Sequence[float]
) -> list[Follows]:
    """The numbers that change; none where one changes in another way, or not all values have an answer."""
    if any([one is None for one in answers]):
        return []
    follows = []
    first, *others = [one for one in answers if one is not None]
    for operator, numbers in enumerate(first):
        for place, number in enumerate(numbers):
            seen = [number, *[one[operator][place] for one in others]]
            if len(set(seen)) == 1:
                continue
            for base, factor in [(base, factor) for base in (0.0, 1.0) for factor in factors]:
                if [base + factor * value for value in tried] == seen:
                    follows.append(Follows(operator, place, base, factor))
                    break
            else:
                return []
    return follows
