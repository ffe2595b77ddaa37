"""Records of a run: launches, blocks, and values that differ between replays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

from facula_storage import cpu
from facula_storage.extend.memory import host_view
from facula_storage.extend.objects import new_instance
from facula_tensor import Tensor
from facula_tensor.extend.tensors import make, snapshot

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType

    from facula_storage import Layout, Plan, Storage

    from .rng_values import RngValue

    Placement = tuple[Any, Storage, int, Any]
    Site = tuple[CodeType, int]


class Address(NamedTuple):
    """An address among the arguments of a launch: a block and an offset in bytes."""

    block: int
    offset: int
    layout: Layout | None
    written: bool


Moment = tuple[int, int]
"""The numbers of events of `.grad` and of Python actions before a launch."""


class Launched(NamedTuple):
    """One launch: the backend's plan, its arguments without the workspace, its line and module."""

    plan: Plan
    arguments: tuple[Address | RngValue | float, ...]
    arrays: int  # the number of arguments before the workspace
    site: Site
    module: object
    operation: str
    part: int = -1  # its index among the parts of a plan that has several
    refusal: Exception | None = None  # an error like the one that the operator raises if it fails
    moment: Moment = (0, 0)


CHANGED = {"batch_norm": (3, 4), "batch_norm_counted": (3, 4, 5)}  # positions of operands that operators modify


class Block:
    """A storage used in a run: created by it (`is_new`, `after` this many launches), of arguments (`inputs`), or
    existing before. Without a storage: memory that a pass over the graph requests.
    """

    __slots__ = ("after", "inputs", "is_new", "layout", "link", "site", "storage")

    def __init__(self, storage: Storage | None, layout: Layout | None, is_new: bool, after: int):
        self.link: Callable[[], Storage | None] = _nothing if storage is None else ref(storage)
        self.storage: Storage | None = None if is_new else storage
        self.layout, self.is_new, self.after = layout, is_new, after
        self.site: Site | None = None  # of the first launch that wrote to it
        self.inputs: list[int] = []


def _nothing() -> None:
    return None


class Stream:
    """A random generator used in a run: the start of its stream, and whether later draws still follow from it."""

    __slots__ = ("follows", "generator", "key", "place", "start")

    def __init__(self, generator: Any, start: int, place: int):
        self.generator, self.start, self.place, self.follows = generator, start, place, True
        self.key: int = generator._key


class Gradient(NamedTuple):
    """A gradient that a backward pass computes: its block, and its layout and offset in the block."""

    block: int
    layout: Layout
    offset: int


class Pass(NamedTuple):
    """A backward pass: its launches, and the gradient of each target, or None."""

    start: int
    stop: int
    grads: list[Gradient | None]


class RecordedBackward:
    """The recorded backward passes of a result.

    `launch` is the index of their first launch, `roots` are the result tensors that require a gradient, `targets` the
    tensors that receive one, and `gradients` the gradients that were passed in. The first of `passes` starts from all
    roots. With several roots, each also has a pass of its own, for programs that use only some of the results.
    """

    def __init__(self, launch: int, roots: list[Tensor], targets: list[Tensor], gradients: list[Tensor]):
        self.launch, self.roots, self.targets, self.gradients = launch, roots, targets, gradients
        self.passes: list[Pass] = []
        self.saved: set[int] = set()  # ids of the storages that the graph of the result saves


class Skip(NamedTuple):
    """Launches that replays skip if a float32 is not 0, or if it is 0 with `at_zero`."""

    first: int
    launches: int
    condition: Address
    at_zero: bool = False


class Loop(NamedTuple):
    """Launches that repeat while their condition, a float32, is not 0.

    The launches from `first` to `body` compute the condition; those from `body` to `last` are skipped if it is 0.
    """

    first: int
    body: int
    last: int
    condition: Address


class Numbers(NamedTuple):
    """A part of an optimizer's step whose launches depend on options: `refill()` repeats it as a dry run to get the
    numbers.

    `grads` are the layouts of the gradients of the group's parameters at the capture, or None.
    """

    refill: Callable[[], None]
    owner: Any
    group: dict[str, Any]
    options: dict[str, Any]  # of the group when the step was recorded
    grads: list[Layout | None]
    # for each operator that it calls: the counts of parameters, of tensors per parameter, and of numbers
    rows: list[tuple[int, int, int]]
    launches: list[list[int]]  # the launches of each operator, which take the numbers after their first argument


def do_if(condition: Callable[[], bool], action: Callable[[], object]) -> None:
    """Run an action of Python code unless a condition holds."""
    if not condition():
        action()


def placement_of(tensor: Tensor) -> Placement:
    """Return the layout, storage, offset and node of a tensor, which a captured program must not change for
    its inputs.
    """
    return tensor._layout, tensor._storage, tensor._offset, tensor.node


def made_tensor(layout: Layout, storage: Storage, offset: int, node: Any) -> Tensor:
    """Create a tensor from these parts."""
    t = new_instance(Tensor)
    t._layout, t._storage, t._offset, t.node = layout, storage, offset, node
    return t


NEW_LEAF = -2  # instead of an index among the differentiable results: a leaf that the function creates
ANY_GRAD = object()  # any previous `.grad` is accepted


def any_grad(needed: object) -> bool:
    """Return True if the previous `.grad` is not compared."""
    return needed is ANY_GRAD


def bytes_at(storage: Storage, offset: int, layout: Layout) -> bytes:
    """Return the elements of an array, after the work of its device."""
    if layout.device is not cpu:
        copy = snapshot(make(Tensor, layout, storage, offset).cpu())
        storage, offset, layout = copy._storage, copy._offset, copy._layout
    return host_view(storage.ptr + offset, layout).tobytes()


def moved(address: Address | RngValue | float, delta: int) -> Address | RngValue | float:
    """Return an argument of a launch, with addresses shifted for one of its parts."""
    return address._replace(offset=address.offset + delta) if type(address) is Address else address
