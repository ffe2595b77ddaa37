"""Graphs for all batch sizes: several captures of one function combined, with numbers that follow from the size.

The captures are compared leaf by leaf. Equal leaves stay. An integer that differs must be a multiple of the size plus a
constant, and a float a constant divided by such a number. Two captures determine the formula, and all others must
agree.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.nodes import describe_call_site

from .errors import SaveError, refuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._recording.marked_sizes import Decisions, Term

SIZE, FLOAT, SHARE, PART = "$n", "$n.0", "$1/n", "$c/n"
"""{"$n": [a, b]} is a * n + b, {"$n.0": [a, b]} the same as a float; {"$1/n": [a, b]} is 1 / (a * n + b), and {"$c/n":
c} is c / n.
"""
MIN_CAPTURES = 3  # captures: two determine the formula, and another one must agree
MAX_SIZE = 1 << 31

Sized = tuple[int, Any]  # a size, and the data for that size


def unify(sized: Sequence[Sized]) -> Any:
    """Return one tree that equals each of these at its size; SaveError names the operator and line of a difference."""
    if len(sized) < MIN_CAPTURES:
        known = ", ".join([str(size) for size, _ in sized])
        raise SaveError(
            f"save: batch=True requires captures of at least {MIN_CAPTURES} sizes that launch the same operators; "
            f"got {known}; call the function with more sizes of the batch first"
        )
    graphs = [(size, dict(tree)) for size, tree in sized]
    launches = [graph.pop("launches") for _, graph in graphs]
    made: dict[str, Any] = _unified(graphs, "the data besides operators")
    sizes = [size for size, _ in graphs]
    made["launches"] = [
        _unified(list(zip(sizes, alike, strict=True)), _called(alike[0])) for alike in zip(*launches, strict=True)
    ]
    return made


def check_decisions(runs: Sequence[tuple[int, Decisions | None]]) -> None:
    """Check that no line of the program bases a decision on the batch size: on different sizes in each capture.

    SaveError names the first line that does. `runs` contains the size of each capture and its decisions, or None if
    they were not noted.
    """
    noted = [(size, note) for size, note in runs if note is not None]
    for site in dict.fromkeys([site for _, note in noted for site in note.found]):
        origins = [note.found.get(site) for _, note in noted]
        if any([origin != origins[0] for origin in origins]):
            raise SaveError(
                "save: batch=True requires a function without decisions based on the batch size; it makes one at "
                f"{describe_call_site(*site)}; compute with tensors there, or save each size separately, "
                "without batch=True"
            )
    sizes = [size for size, _ in noted]
    for site in dict.fromkeys([site for _, note in noted for site in note.terms]):
        terms = [list(note.terms.get(site, ())) for _, note in noted]
        if len(set(map(len, terms))) != 1 or not all([_is_linear(sizes, alike) for alike in zip(*terms, strict=True)]):
            raise SaveError(
                "save: batch=True requires numbers that are multiples of the batch size plus a constant; the one at "
                f"{describe_call_site(*site)} is another function of it; compute it with tensors, or save each "
                "size separately, without batch=True"
            )


def _is_linear(sizes: Sequence[int], terms: Sequence[Term]) -> bool:
    """Return True if the result of arithmetic is linear in the size with a single factor and constant.

    Arguments:
        sizes: the sizes of the captures.
        terms: the operation and its two operands in each of them.
    """
    if len(sizes) < 2:  # a single size determines no formula
        return False
    _, lefts, rights = zip(*terms, strict=True)
    (a, b), (c, d) = _factors(sizes, lefts), _factors(sizes, rights)
    if None in (a, b, c, d):
        return False
    if terms[0][0] == "mul":
        return a == 0 or c == 0
    return a % d == 0 if c == 0 else a % c == 0 and a * d == b * c  # constant divisors, or proportional ones


def _factors(sizes: Sequence[int], values: Sequence[int]) -> Any:
    """Return the factor and the constant of integers that are linear in the sizes; None, None for others."""
    factor, left = divmod(values[1] - values[0], sizes[1] - sizes[0])
    constant = values[0] - factor * sizes[0]
    is_linear = not left and all([factor * size + constant == value for size, value in zip(sizes, values, strict=True)])
    return (factor, constant) if is_linear else (None, None)


def alike(sized: Sequence[Sized]) -> list[Sized]:
    """Return the captures with the most frequent list of operators: the first one of a function may have found
    no `.grad`.
    """
    groups: dict[tuple[str, ...], list[Sized]] = {}
    for size, tree in sized:
        groups.setdefault(tuple([_name(launch) for launch in tree["launches"]]), []).append((size, tree))
    return max(groups.values(), key=len, default=[])


def _name(launch: Any) -> str:
    operator = launch["plan"]["operator"]
    return str(operator if type(operator) is str else operator["name"])


def _called(launch: Any) -> str:
    return f"{_name(launch)} (at {launch['line']})"


def _unified(sized: Sequence[Sized], what: str) -> Any:
    first = sized[0][1]
    kinds = {type(tree) for _, tree in sized}
    if kinds == {dict}:
        if len({tuple(tree) for _, tree in sized}) == 1:
            return {name: _unified([(size, tree[name]) for size, tree in sized], what) for name in first}
    elif kinds == {list}:
        if len({len(tree) for _, tree in sized}) == 1:
            return [_unified([(size, tree[k]) for size, tree in sized], what) for k in range(len(first))]
    elif all([tree == first for _, tree in sized]) and len(kinds) == 1:
        return first
    elif kinds == {int}:
        (m, a), (n, b) = sized[0], sized[1]
        factor, left = divmod(b - a, n - m)
        form: Any = {SIZE: [factor, a - factor * m]}
        if not left and factor > 0 and all([at(form, size) == number for size, number in sized]):
            return form
    elif kinds == {float} and all([isfinite(number) for _, number in sized]):
        form = _share(sized)
        if form is not None:
            return form
    raise SaveError(
        f"save: {what} does not follow from the size of the batch: {sized[0][1]!r:.60} at {sized[0][0]}, "
        f"{sized[1][1]!r:.60} at {sized[1][0]}; save each size separately, without batch=True"
    )


def _share(sized: Sequence[Sized]) -> Any:
    """Return the formula of a float that follows from the size."""
    values = [number for _, number in sized]
    forms: list[Any] = [{PART: number * size} for size, number in sized]
    shares, (m, _), (n, _) = [round(1 / value) if value else 0 for value in values], *sized[:2]
    for kind, whole in ((SHARE, shares), (FLOAT, [round(value) for value in values])):
        factor, left = divmod(whole[1] - whole[0], n - m)
        if not left:
            forms.insert(0, {kind: [factor, whole[0] - factor * m]})
    for form in forms:
        if all([at(form, size) == number for size, number in sized]):
            return form
    return None


def at(tree: Any, size: int) -> Any:
    """Return the tree for a size."""
    if type(tree) is list:
        return [at(part, size) for part in tree]
    if type(tree) is not dict:
        return tree
    if len(tree) == 1:
        ((kind, form),) = tree.items()
        if kind in (SIZE, FLOAT, SHARE, PART):
            return _number(kind, form, size)
    return {name: at(part, size) for name, part in tree.items()}


def _number(kind: str, form: Any, size: int) -> float:
    if kind == PART and type(form) in (int, float):
        return float(form) / size if size else 0.0
    if type(form) is not list or [type(element) for element in form] != [int, int]:
        refuse(f"{form!r:.60} does not compute a number from the batch size")
    number: int = form[0] * size + form[1]
    if kind in (SIZE, FLOAT):
        return number if kind == SIZE else float(number)
    return 1.0 / number if number else 0.0


def renumber(data: dict[str, Any]) -> None:
    """Number blocks in the order of their use and remove unused ones, so that equal captures have equal data.

    Blocks of equal constants become one, as their memory is.
    """
    found: dict[int, int] = {}
    first = {entry["memory"]: k for k, entry in reversed(list(enumerate(data["blocks"]))) if "memory" in entry}
    same = [first[entry["memory"]] if "memory" in entry else k for k, entry in enumerate(data["blocks"])]

    def number(block: int) -> int:
        return found.setdefault(same[block], len(found))

    for block, entry in enumerate(data["blocks"]):
        if "input" in entry or "gradient" in entry:
            number(block)
    for launch in data["launches"]:
        for argument in launch["arguments"]:
            if type(argument) is list:
                argument[0] = number(argument[0])
    data["outputs"] = list(map(number, data["outputs"]))
    for _, _, grads in data["passes"]:
        for grad in grads:
            if grad is not None:
                grad[0] = number(grad[0])
    for place, jumps in ((2, data["skips"]), (3, data["loops"])):
        for jump in jumps:
            jump[place] = number(jump[place])
    data["changed"] = [[found[same[change[0]]], *change[1:]] for change in data["changed"] if same[change[0]] in found]
    data["blocks"] = [data["blocks"][block] for block in found]
