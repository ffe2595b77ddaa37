"""What a recorder writes down: launches, blocks, and what changes from replay to replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

from facula_storage.extend import new_instance
from facula_tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType

    from facula_storage import Layout, Plan, Storage

    from .rng_values import RngValue

    Moment = tuple[Any, Storage, int, Any]
    Site = tuple[CodeType, int]


class Address(NamedTuple):
    """An address among a launch's arguments: a block and an offset in bytes."""

    block: int
    offset: int
    layout: Layout | None
    written: bool


class Launched(NamedTuple):
    """One launch: the plan as the backend made it, its arguments but for the workspace, line and module."""

    plan: Plan
    arguments: tuple[Address | RngValue | float, ...]
    arrays: int  # how many arguments come before the workspace
    site: Site
    module: object
    operation: str
    part: int = -1  # which of its plan's parts this is, of a plan that has several
    refusal: Exception | None = None  # an error like the one that the operator raises where it fails


CHANGED = {"batch_norm": (3, 4), "batch_norm_counted": (3, 4, 5)}  # the places of operands that operators change


class Block:
    """A storage that was met: made meanwhile (`born`, `after` so many launches), an argument's (`inputs`), or one that
    was there before. Without a storage: what a pass over the graph wants a place for."""

    __slots__ = ("after", "inputs", "is_new", "layout", "link", "site", "storage")

    def __init__(self, storage: Storage | None, layout: Layout | None, is_new: bool, after: int):
        self.link: Callable[[], Storage | None] = _nothing if storage is None else ref(storage)
        self.storage: Storage | None = None if is_new else storage
        self.layout, self.is_new, self.after = layout, is_new, after
        self.site: Site | None = None  # of the first launch that wrote there
        self.inputs: list[int] = []


def _nothing() -> None:
    return None


class Stream:
    """A generator that was drawn from: where its numbers began, and whether they still follow from there."""

    __slots__ = ("follows", "generator", "key", "place", "start")

    def __init__(self, generator: Any, start: int, place: int):
        self.generator, self.start, self.place, self.follows = generator, start, place, True
        self.key: int = generator._key


class Gradient(NamedTuple):
    """A gradient that a backward pass makes: its block, and what it shows of it."""

    block: int
    layout: Layout
    offset: int


class Pass(NamedTuple):
    """A backward pass: its launches, and the gradient of each target, or None."""

    start: int
    stop: int
    grads: list[Gradient | None]


class RecordedBackward:
    """The recorded backward of a result.

    `launch` is its first launch, `roots` the tensors of the result that require a gradient, `targets` the tensors that
    get one, `gradients` what the passes were given. The first of `passes` is that of all roots together; of several
    each has one of its own, too, for programs that leave others out.
    """

    def __init__(self, launch: int, roots: list[Tensor], targets: list[Tensor], gradients: list[Tensor]):
        self.launch, self.roots, self.targets, self.gradients = launch, roots, targets, gradients
        self.passes: list[Pass] = []
        self.saved: set[int] = set()  # the ids of storages that the graph of the result holds


class Skip(NamedTuple):
    """Launches that are left out where a float32 is not 0; where it is 0, if `at_zero`."""

    first: int
    launches: int
    condition: Address
    at_zero: bool = False


class Loop(NamedTuple):
    """Launches that are done again, as long as the launches before a place among them leave a float32 that is not 0.

    `first` is where they begin, `body` what is left out when it is 0, up to `last`.
    """

    first: int
    body: int
    last: int
    condition: Address


class Numbers(NamedTuple):
    """A part of an optimizer's step that says which numbers its launches take: `refill()` does it again, dry.

    `grads` are the layouts of the gradients that the group's parameters had then, or None.
    """

    refill: Callable[[], None]
    owner: Any
    group: dict[str, Any]
    options: dict[str, Any]  # what the group had when the step was recorded
    grads: list[Layout | None]
    rows: list[tuple[int, int, int]]  # of each operator that it calls: how many parameters, tensors of each, numbers
    launches: list[list[int]]  # and its launches, which take the numbers after their first argument


def do_if(condition: Callable[[], bool], action: Callable[[], object]) -> None:
    """What Python does beside the operators where a condition does not hold."""
    if not condition():
        action()


def moment_of(tensor: Tensor) -> Moment:
    """Where a tensor's elements are, and its node: no program that is captured may change these of what it is given."""
    return tensor._layout, tensor._storage, tensor._offset, tensor.node


def made_tensor(layout: Layout, storage: Storage, offset: int, node: Any) -> Tensor:
    """A tensor of these parts."""
    t = new_instance(Tensor)
    t._layout, t._storage, t._offset, t.node = layout, storage, offset, node
    return t


NEW_LEAF = -2  # in the place of a number among differentiable results: a leaf that the function makes
ANY_GRAD = object()  # what `.grad` was before does not matter


def any_grad(needed: object) -> bool:
    """Whether it does not matter what `.grad` was before."""
    return needed is ANY_GRAD


def moved(one: Address | RngValue | float, delta: int) -> Address | RngValue | float:
    """An argument of a launch as one of its parts takes it."""
    return one._replace(offset=one.offset + delta) if type(one) is Address else one
