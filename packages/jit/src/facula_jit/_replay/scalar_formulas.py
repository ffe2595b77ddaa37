"""How the numbers of an optimizer's launches follow from its options: found by asking a dry step, kept as data.

Most numbers are an option itself. A few are made of one or two, as AdamW's `1 - lr * weight_decay`; these are known by
form. The step is asked for its numbers with several options, and the form that gives all of them to the last bit is
taken. Where there is none, the options that the number depends on cannot be changed in a file.
"""

from __future__ import annotations

from itertools import permutations
from math import isfinite, prod
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .optimizer_scalars import ScalarUpdate

    Values = Mapping[str, float]


class Form(NamedTuple):
    """What a number is made of: of how many options, by which function.

    Of one option alone it is base + sign * the others * that one.
    """

    options: int
    make: Callable[..., float]
    base: float
    sign: float


FORMS = {
    "option": Form(1, lambda a: a, 0.0, 1.0),
    "negative": Form(1, lambda a: -a, 0.0, -1.0),
    "rest": Form(1, lambda a: 1.0 - a, 1.0, -1.0),
    "product": Form(2, lambda a, b: a * b, 0.0, 1.0),
    "rest of product": Form(2, lambda a, b: 1.0 - a * b, 1.0, -1.0),
}
FACTORS = (0.5, 0.875, 0.3125)  # of options, where a step is asked


def values_of(group: Mapping[str, Any]) -> dict[str, float]:
    """The options of a group that are numbers; those of pairs by their place, as "betas.0"."""
    found: dict[str, float] = {}
    for name, value in group.items():
        several = value if isinstance(value, tuple) else (value,)
        if all([type(one) in (int, float) for one in several]):
            found.update({f"{name}.{k}": one for k, one in enumerate(value)} if several is value else {name: value})
    return found


def group_of(options: Mapping[str, Any], values: Values) -> dict[str, Any]:
    """Options with these numbers in their places."""
    made = dict(options)
    for name, value in options.items():
        if isinstance(value, tuple) and f"{name}.0" in values:
            made[name] = tuple([values[f"{name}.{k}"] for k in range(len(value))])
        elif name in values:
            made[name] = values[name]
    return made


def compute(form: Sequence[Any], values: Values) -> float:
    """The number that a form gives."""
    kind, *rest = form
    return float(rest[0]) if kind == "constant" else float(FORMS[kind].make(*[float(values[name]) for name in rest]))


class Forms:
    """The forms of all numbers of a group's launches.

    Arguments:
        refill: the group, and its launches.

    `numbers` are those of its options now, `forms` as many forms, `fixed` the options that have to stay.
    """

    def __init__(self, refill: ScalarUpdate):
        group = refill.numbers.group
        before = {name: value for name, value in group.items() if name != "params"}
        self.values = values_of(before)
        now = refill.present_numbers()
        self.numbers: list[list[float]] = [] if now is None else [list(one) for one in now]
        self.works = now is not None
        self.fixed: set[str] = set()
        self.forms: list[list[list[Any]]] = []
        if now is None:
            return
        try:
            self._look(refill, group, before)
        finally:
            group.update(before)

    def _look(self, refill: ScalarUpdate, group: dict[str, Any], before: dict[str, Any]) -> None:
        def ask(values: Values) -> list[float] | None:
            group.update(group_of(before, values))
            try:
                found = refill.present_numbers()
            except Exception:  # of any kind: the optimizer refuses such options
                return None
            return None if found is None else [float(one) for numbers in found for one in numbers]

        now = [float(one) for numbers in self.numbers for one in numbers]
        asked = [(self.values, now)]
        free = []
        for name, value in self.values.items():
            found = ask({**self.values, name: _other(value, 0)})
            if found is None:
                self.fixed.add(name)
            else:
                free.append(name)
                asked.append(({**self.values, name: _other(value, 0)}, found))
        alone = len(asked)
        for turn in range(len(FACTORS)):
            values = {**self.values, **{name: _other(self.values[name], turn) for name in free}}
            found = ask(values)
            if found is not None:
                asked.append((values, found))
        flat = []
        for place in range(len(now)):
            form = _form_of([(values, found[place]) for values, found in asked], free)
            if form is None:
                form = ["constant", now[place]]
                for values, found in asked[1:alone]:
                    if found[place] != now[place]:
                        self.fixed |= {name for name in values if values[name] != self.values[name]}
            flat.append(form)
        pieces = iter(flat)
        self.forms = [[next(pieces) for _ in numbers] for numbers in self.numbers]


def _other(value: float, turn: int) -> float:
    """Another number that the option may be: of betas and the like below 1."""
    return value * FACTORS[turn] + 0.01 * (turn + 1) * 0.37


def _form_of(asked: Sequence[tuple[Values, float]], names: Sequence[str]) -> list[Any] | None:
    """The first form that gives what was found wherever it was asked."""
    first = asked[0][1]
    if all([found == first for _, found in asked]):
        return ["constant", first]
    for kind, form_of_kind in FORMS.items():
        for taken in permutations(names, form_of_kind.options):
            form = [kind, *taken]
            if all([compute(form, values) == found for values, found in asked]):
                return form
    return None


class Follows(NamedTuple):
    """A number of an operator's launches: base + factor * an option."""

    operator: int
    place: int
    base: float
    factor: float


def followers(refill: ScalarUpdate) -> dict[str, tuple[float, list[Follows]]]:
    """The options that can be set by themselves: of each its value, and the numbers that follow it.

    Of several options that share a number (1 - lr * weight_decay) that is the learning rate alone; pairs are left out.
    """
    forms = Forms(refill)
    found: dict[str, tuple[float, list[Follows]]] = {}
    for name, value in forms.values.items():
        if name in refill.numbers.group and name not in forms.fixed and isfinite(value):
            follows = [
                Follows(operator, place, *linear)
                for operator, row in enumerate(forms.forms)
                for place, form in enumerate(row)
                if (linear := _in(name, form, forms.values)) is not None
            ]
            if follows:
                found[name] = float(value), follows
    shared = [(one.operator, one.place) for _, follows in found.values() for one in follows]
    return {
        name: (value, follows)
        for name, (value, follows) in found.items()
        if name == "lr" or all([shared.count((one.operator, one.place)) == 1 for one in follows])
    }


def _in(name: str, form: Sequence[Any], values: Values) -> tuple[float, float] | None:
    """Base and factor of a form in one option, the others as they are; None where that changes nothing."""
    kind, *names = form
    if kind == "constant" or name not in names:
        return None
    others = [float(values[one]) for one in names if one != name]
    factor = FORMS[kind].sign * prod(others)
    return (FORMS[kind].base, factor) if factor else None
