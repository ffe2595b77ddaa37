"""Operators of distributed tensors: a rule's letters, the cheapest placements, and a call with local tensors.

Note [Letters]
~~~~~~~~~~~~~~
A rule names the dimensions of operands and results by letters, as einsum does: a product of matrices is "ij,jk->ik",
where "j" is reduced by a sum. Along each dimension of the mesh, the dimensions of one letter can be sharded together:
each process computes its part of the results, or its term of a reduction. A dimension without a letter (None) must be
whole. If the rule is linear, operands may also be terms, and so is the result.

The candidates are: one for each letter that an operand is sharded along, the linear ones, and all operands replicated.
Of these, the one that moves the fewest elements is taken. Operands are redistributed to it, and the public function is
called with the local tensors, which records the derivative; see Note [Derivatives of parts] in steps.py. The shapes of
the results are those of a call with tensors on the meta device. Calls with equal arguments, layouts and dtypes share a
plan, which is made once.
"""

from __future__ import annotations

from functools import cache
from inspect import signature as signature_of
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_errors import OperationError, UnsupportedError
from facula_tensor import Tensor, empty_strided, no_grad
from facula_tensor.extend.overriding import disable_overrides

from .layout import Layout, Placements, is_linear
from .placements import Partial, Placement, Replicate, Shard
from .redistribute import enter, redistributed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

Letters = tuple[object, ...]  # a letter for each dimension; None if it must be whole


class Signature(NamedTuple):
    """What a rule says of a call.

    Fields:
        operands: the letters of each operand; None for one whose elements are not used.
        results: the letters of each result.
        reduced: the reductions of letters that no result has; "whole" if `run` makes the results whole.
        linear: "" or, for the operands that may be terms of sums: "each" one alone, "first" the first one alone, "all"
            together.
        added: the operands that are added to a sum of terms; they become terms of it.
        run: calls the function with local operands instead; its arguments are the call, the operands, and the
            placements. It must not keep the call that the rule gets.
        returns_views: whether the results may share memory with the operands.
    """

    operands: Sequence[Letters | None]
    results: Sequence[Letters]
    reduced: Mapping[Any, str] = {}
    linear: str = ""
    added: Sequence[int] = ()
    run: Callable[..., Any] | None = None
    returns_views: bool = False


class Choice(NamedTuple):
    """The placements along one dimension of the mesh."""

    operands: tuple[Placement, ...]
    results: tuple[Placement, ...]


class Plan(NamedTuple):
    """What calls with equal arguments and layouts have in common.

    Fields:
        signature: what the rule says.
        choices: the placements along each dimension of the mesh.
        moves: for each operand, its new placements and the dimensions of the mesh along which it is shared by different
            computations; None if it is used as it is.
        metas: the results, on the meta device.
        layouts: the layouts of the results.
    """

    signature: Signature
    choices: list[Choice]
    moves: list[tuple[Placements, list[int]] | None]
    metas: list[Tensor]
    layouts: list[Layout]


class Call:
    """A call of an operator with distributed tensors.

    Arguments:
        name: the name of the function.
        function: the public function.
        args, kwargs: its arguments.
        kind: the class of distributed tensors.
        in_place: whether the first operand is changed and is the result.
    """

    metas: list[Tensor]  # the operands on the meta device; set for the rule
    results: list[Tensor]  # the results on the meta device

    def __init__(
        self, name: str, function: Callable[..., Any], args: Any, kwargs: Any, kind: Any, in_place: bool
    ) -> None:
        self.in_place = in_place
        args, kwargs = _in_order(function, args, kwargs) if kwargs else (args, kwargs)
        self.name, self.function, self.args, self.kwargs, self.kind = name, function, args, kwargs, kind
        self.operands: list[Any] = [*_tensors(args), *_tensors(kwargs.values())]
        for number, one in enumerate(self.operands):
            if isinstance(one, kind):
                continue
            if not one.ndim and (number or not in_place):  # a number that all processes have
                first = next(other for other in self.operands if isinstance(other, kind))
                self.operands[number] = first._replicated(one)
            else:
                raise OperationError(
                    f"{name}: expected DTensors only; got a Tensor of the shape {tuple(one.shape)} too; convert it by "
                    "distribute_tensor or DTensor.from_local"
                )
        self.layouts: list[Layout] = [one._spec for one in self.operands]
        self.mesh = self.layouts[0].mesh
        for layout in self.layouts:
            if layout.mesh is not self.mesh and layout.mesh != self.mesh:
                raise OperationError(f"{name}: expected DTensors of one mesh; got {self.mesh!r} and {layout.mesh!r}")

    def key(self) -> tuple[object, ...] | None:
        """Return a key of calls with the same plan; None if an argument has no hash."""
        kinds = tuple([(layout, one.dtype) for layout, one in zip(self.layouts, self.operands, strict=True)])
        key = (self.function, self.in_place, kinds, _skeleton(self.args), _skeleton([*self.kwargs.items()]))
        try:
            hash(key)
        except TypeError:
            return None
        return key

    def infer(self) -> None:
        """Find the shapes of the results."""
        self.metas = [
            empty_strided(layout.shape, layout.stride, dtype=one.dtype, device="meta")
            for one, layout in zip(self.operands, self.layouts, strict=True)
        ]
        with no_grad(), disable_overrides():
            self.results = list(_tensors([self.call(self.metas)]))

    def call(self, operands: Sequence[Any], function: Callable[..., Any] | None = None) -> Any:
        """Call the function with other operands."""
        values = iter(operands)
        args = _replaced(self.args, values)
        kwargs = {name: _replaced(value, values) for name, value in self.kwargs.items()}
        return (function or self.function)(*args, **kwargs)

    def argument(self, place: int, name: str, default: Any = None) -> Any:
        """Return an argument given by its place or its name."""
        return self.args[place] if place < len(self.args) else self.kwargs.get(name, default)

    def shape(self, operand: int = 0) -> tuple[int, ...]:
        """Return the whole shape of an operand."""
        return self.layouts[operand].shape


_MAX_PLANS = 4096
_plans: dict[tuple[object, ...], Plan] = {}


_USUAL = {"axis": "dim", "keepdims": "keepdim"}


@cache
def _parameters_of(function: Any) -> dict[str, int]:
    """Return the places of a function's parameters; none if it has no signature."""
    try:
        return {name: place for place, name in enumerate(signature_of(function).parameters)}
    except (TypeError, ValueError):
        return {}


def _in_order(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return arguments under their usual names, in the order of the parameters; the first one has no name."""
    places = _parameters_of(function)
    named = [(_USUAL.get(name, name), value) for name, value in kwargs.items()]
    named.sort(key=lambda one: places.get(one[0], len(places)))
    return (args, dict(named)) if args else ((named[0][1],), dict(named[1:]))


def _skeleton(value: Any) -> object:
    """Return arguments without tensors, with the types of the other values."""
    if isinstance(value, (list, tuple)):
        return tuple([_skeleton(one) for one in value])
    return None if isinstance(value, Tensor) else (type(value), value)


def _tensors(values: Any) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)


def _replaced(value: Any, values: Iterator[Any]) -> Any:
    """Return a value with the tensors in it replaced by others, in order."""
    if isinstance(value, Tensor):
        return next(values)
    if isinstance(value, (list, tuple)):
        items = [_replaced(one, values) for one in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    return value


def run_operator(call: Call, rule: Callable[[Call], Signature]) -> Any:
    """Return the result of a call whose rule is known.

    Arguments:
        call: the call.
        rule: the rule.
    """
    key = call.key()
    plan = None if key is None else _plans.get(key)
    if plan is None:
        call.infer()
        plan = _planned(call, rule(call))
        if key is not None:
            if len(_plans) >= _MAX_PLANS:
                _plans.clear()
            _plans[key] = plan
    call.results = plan.metas
    locals_: list[Any] = []
    is_plain = True
    for operand, layout, move in zip(call.operands, call.layouts, plan.moves, strict=True):
        if move is not None:
            with disable_overrides():
                local = redistributed(operand, layout, move[0])
                local = enter(local, layout.with_placements(move[0]), move[1])
        elif call.in_place or plan.signature.returns_views or (operand.requires_grad and operand.is_leaf):
            local = operand  # the one that a history or a family of views refers to
        else:
            local = operand.as_subclass(Tensor)  # which takes the fast paths
        is_plain = is_plain and type(local) is Tensor
        locals_.append(local)
    if is_plain:
        result = _run(call, plan, locals_)
    else:
        with disable_overrides():
            result = _run(call, plan, locals_)
    if call.in_place:
        return call.operands[0]
    wrapped = _wrapped(result, iter(plan.layouts), call)
    if plan.signature.returns_views and (_is_moved(call, plan) or getattr(call.operands[0], "_is_copy", False)):
        for one in _tensors([wrapped]):
            one._is_copy = True  # type: ignore[attr-defined]
    return wrapped


def _is_moved(call: Call, plan: Plan) -> bool:
    now, move = call.layouts[0].placements, plan.moves[0]
    return move is not None and any(a != b and n > 1 for a, b, n in zip(now, move[0], call.mesh.shape, strict=True))


def _run(call: Call, plan: Plan, operands: list[Any]) -> Any:
    return call.call(operands) if plan.signature.run is None else plan.signature.run(call, operands, plan.choices)


def _planned(call: Call, signature: Signature) -> Plan:
    choices = [_chosen(call, signature, dim) for dim in range(call.mesh.ndim)]
    moves: list[tuple[Placements, list[int]] | None] = []
    for number, layout in enumerate(call.layouts):
        targets = tuple([choice.operands[number] for choice in choices])
        shared = [
            dim
            for dim, choice in enumerate(choices)
            if call.mesh.shape[dim] > 1
            and signature.operands[number] is not None
            and isinstance(targets[dim], Replicate)
            and not all(isinstance(one, Replicate) for one in choice.results)
        ]
        moves.append((targets, shared) if shared or targets != layout.placements else None)
    layouts = [
        Layout(call.mesh, tuple([choice.results[k] for choice in choices]), tuple(meta.shape), tuple(meta.stride()))
        for k, meta in enumerate(call.results)
    ]
    return Plan(signature, choices, moves, call.results, layouts)


def _wrapped(result: Any, layouts: Iterator[Layout], call: Call) -> Any:
    if isinstance(result, Tensor):
        return call.kind._of(result, next(layouts))
    if isinstance(result, (list, tuple)):
        items = [_wrapped(one, layouts, call) for one in result]
        return type(result)(*items) if hasattr(result, "_fields") else type(result)(items)
    return result


def _chosen(call: Call, signature: Signature, dim: int) -> Choice:
    """Return the candidate that moves the fewest elements along a dimension of the mesh."""
    now = [layout.placements[dim] for layout in call.layouts]
    size = call.mesh.shape[dim]
    best: tuple[float, Choice] | None = None
    for candidate in _candidates(call, signature, now):
        if call.in_place and (candidate.operands[0] != now[0] or candidate.results[0] != now[0]):
            continue
        cost = sum(
            _elements_moved(a, b, prod(layout.shape), size)
            for a, b, layout in zip(now, candidate.operands, call.layouts, strict=True)
        )
        if best is None or cost < best[0]:
            best = cost, candidate
    if best is None:
        raise UnsupportedError(
            f"{call.name}: expected operands that fit the placement {now[0]!r} of the tensor to change; got "
            f"{now[1:]}; redistribute it to Replicate() or use the operator that returns a new tensor"
        )
    return best[1]


def _candidates(call: Call, signature: Signature, now: list[Placement]) -> Iterator[Choice]:
    unused = [number for number, named in enumerate(signature.operands) if named is None]
    for choice in _choices(signature, now):
        operands = [now[number] if number in unused else one for number, one in enumerate(choice.operands)]
        yield Choice(tuple(operands), choice.results)


def _choices(signature: Signature, now: list[Placement]) -> Iterator[Choice]:
    everything = range(len(now))
    whole = (Replicate(),) * len(signature.results)
    letters_of = [named or () for named in signature.operands]
    terms = [number for number in everything if is_linear(now[number]) and signature.operands[number] is not None]
    if signature.linear == "all" and terms:
        term = now[terms[0]]
        yield Choice((term,) * len(now), (term,) * len(whole))
    elif signature.linear:
        for number in terms:
            if number in signature.added or (signature.linear == "first" and number):
                continue
            partial = tuple([now[number] if k in (number, *signature.added) else Replicate() for k in everything])
            yield Choice(partial, (now[number],) * len(whole))
    letters = []
    for placement, named in zip(now, letters_of, strict=True):
        letter = named[placement.dim] if isinstance(placement, Shard) and named else None
        if letter is not None and letter not in letters:
            letters.append(letter)
    for letter in letters:
        results: list[Placement] = []
        for named in signature.results:
            if letter in named:
                results.append(Shard(named.index(letter)))
            elif letter in signature.reduced:
                op = signature.reduced[letter]
                results.append(Replicate() if op == "whole" else Partial(op))
        if len(results) == len(whole):
            operands: list[Placement] = [
                Shard(named.index(letter)) if letter in named else Replicate() for named in letters_of
            ]
            for number in signature.added if isinstance(results[0], Partial) else ():
                operands[number] = Partial(signature.reduced[letter])
            yield Choice(tuple(operands), tuple(results))
    yield Choice((Replicate(),) * len(now), whole)


def _elements_moved(now: Placement, target: Placement, elements: int, size: int) -> float:
    """Return about how many elements a process sends to change a placement."""
    if now == target or size == 1:
        return 0.0
    share = (size - 1) / size
    if isinstance(now, Replicate):
        return 1e-3 if isinstance(target, Shard) else 1e-2  # no elements, but calls
    if isinstance(now, Partial):
        return elements * share * (1.0 if isinstance(target, Shard) else 2.0)
    return elements * share * {Shard: 1 / size, Replicate: 1.0}.get(type(target), 1.5)
