"""Formulas by which the scalars of an optimizer's launches follow from its options, found by dry runs and stored as
data.

Most scalars are options themselves. A few are computed from one or two options, such as AdamW's `1 - lr *
weight_decay`; these have a known form. A dry run of the step computes the scalars for several values of the options,
and the form that reproduces all of them exactly is used. If there is none, the options on which the scalar depends
cannot be changed in a file.
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
    """A formula of a scalar: a function of this many options.

    As a function of one of its options, it is base + sign * the other options * that option.
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
FACTORS = (0.5, 0.875, 0.3125)  # by which dry runs vary the options


def values_of(group: Mapping[str, Any]) -> dict[str, float]:
    """Return the numeric options of a group; elements of pairs have names such as "betas.0"."""
    found: dict[str, float] = {}
    for name, value in group.items():
        several = value if isinstance(value, tuple) else (value,)
        if all([type(number) in (int, float) for number in several]):
            found.update(
                {f"{name}.{k}": number for k, number in enumerate(value)} if several is value else {name: value}
            )
    return found


def group_of(options: Mapping[str, Any], values: Values) -> dict[str, Any]:
    """Return the options with these values substituted."""
    made = dict(options)
    for name, value in options.items():
        if isinstance(value, tuple) and f"{name}.0" in values:
            made[name] = tuple([values[f"{name}.{k}"] for k in range(len(value))])
        elif name in values:
            made[name] = values[name]
    return made


def compute(form: Sequence[Any], values: Values) -> float:
    """Return the value of a form."""
    kind, *rest = form
    return float(rest[0]) if kind == "constant" else float(FORMS[kind].make(*[float(values[name]) for name in rest]))


class Forms:
    """The forms of all scalars of a group's launches.

    Arguments:
        refill: the group and its launches.

    Attributes:
        numbers: the present scalars.
        forms: the form of each scalar.
        fixed: the options that cannot be changed.
    """

    def __init__(self, refill: ScalarUpdate):
        group = refill.numbers.group
        before = {name: value for name, value in group.items() if name != "params"}
        self.values = values_of(before)
        now = refill.present_numbers()
        self.numbers: list[list[float]] = [] if now is None else [list(numbers) for numbers in now]
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
            except Exception:  # any type: the optimizer rejects such options
                return None
            return None if found is None else [float(number) for numbers in found for number in numbers]

        now = [float(number) for numbers in self.numbers for number in numbers]
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
    """Return another valid value of the option: for betas and similar ones below 1."""
    return value * FACTORS[turn] + 0.01 * (turn + 1) * 0.37


def _form_of(asked: Sequence[tuple[Values, float]], names: Sequence[str]) -> list[Any] | None:
    """Return the first form that reproduces all results, or None."""
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
    """A scalar of an operator's launches, computed as base + factor * option."""

    operator: int
    place: int
    base: float
    factor: float


def followers(refill: ScalarUpdate) -> dict[str, tuple[float, list[Follows]]]:
    """Return the options that can be set individually: the value of each, and the scalars that depend on it.

    If several options share a scalar (1 - lr * weight_decay), only the learning rate can be set. Pairs are omitted.
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
    shared = [(follow.operator, follow.place) for _, follows in found.values() for follow in follows]
    return {
        name: (value, follows)
        for name, (value, follows) in found.items()
        if name == "lr" or all([shared.count((follow.operator, follow.place)) == 1 for follow in follows])
    }


def _in(name: str, form: Sequence[Any], values: Values) -> tuple[float, float] | None:
    """Return base and factor of a form as a function of one option; None if it does not depend on the option."""
    kind, *names = form
    if kind == "constant" or name not in names:
        return None
    others = [float(values[key]) for key in names if key != name]
    factor = FORMS[kind].sign * prod(others)
    return (FORMS[kind].base, factor) if factor else None
