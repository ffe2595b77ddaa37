"""Conversion of conditions and loops to ONNX's If and Loop.

The results of their bodies are the blocks that are written inside and used afterwards. The carried values of a loop are
those that the previous iteration wrote. All other values stay inside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from facula_storage import bool_, contiguous, float32, int64

from ._regions import used_in, written_in

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._recording.records import Address
    from ._memory import Memory
    from ._nodes import Node
    from ._regions import Either, Part, Repeat

    # appends nodes; the set contains the blocks that are used afterwards
    Convert: TypeAlias = Callable[[Sequence[Part], set[int]], None]

ON_ONE_SIDE = "computed in one of two functions that a tensor selects, and read afterwards; return it from both"
BY_STEPS = "computed in a loop that may have no steps, and read afterwards; carry it"


def convert_either(memory: Memory, part: Either, behind: set[int], convert: Convert) -> None:
    """Append a condition as one node.

    Arguments:
        memory: the values.
        part: the condition.
        behind: the blocks that are used after it.
        convert: appends the nodes of its branches.
    """
    b, before = memory.b, memory.state
    module, condition = b.module, _truth(memory, part.condition)
    written = written_in([part])
    sides = []
    for parts in (part.true, part.false):
        nodes: list[Node] = []
        memory.state = before.copy()
        with b.within(nodes):
            convert(parts, behind)
            there = {block for block in written if block in behind and memory.prepare(block, part.first)}
        sides.append((nodes, memory.state, there))
    memory.state = sides[0][1]
    given = [memory.address_of(block) for block in written if all([block in there for _, _, there in sides])]
    bodies = []
    for nodes, state, _ in sides:
        memory.state = state
        with b.within(nodes):
            results = _read(memory, given)
        bodies.append(b.body(nodes, (), results))
        memory.restore(before, written)
    b.module = module
    if given:
        made = b.add_many("If", condition, results=len(given), then_branch=bodies[0], else_branch=bodies[1])
        _write(memory, given, made)
    for block in behind.intersection(written).difference([address.block for address in given]):
        memory.mark_unreadable(block, ON_ONE_SIDE)


def convert_repeat(memory: Memory, part: Repeat, behind: set[int], convert: Convert) -> None:
    """Append a loop as one node. Its test is computed before the loop, and again after each iteration.

    Arguments:
        memory: the values.
        part: the loop.
        behind: the blocks that are used after it.
        convert: appends the nodes of its body.
    """
    b, module = memory.b, memory.b.module
    written, tested = written_in([part]), set(written_in(part.test))
    in_step = used_in(part.body)
    needed = {block for block in written if memory.has(block) or block in behind or block in tested & in_step}
    convert(part.test, needed | behind | in_step | {part.condition.block})
    first = _truth(memory, part.condition)
    carried = [memory.address_of(block) for block in written if block in needed and memory.prepare(block, part.first)]
    initial = [memory.read(address) for address in carried]
    before = memory.state
    memory.state = before.copy()
    inputs = [b.name("step"), b.name("goes_on"), *[b.name("carried") for _ in carried]]
    b.values[inputs[0]], b.values[inputs[1]] = (int64, ()), (bool_, ())
    _write(memory, carried, inputs[2:])
    nodes: list[Node] = []
    with b.within(nodes):
        convert(part.body, needed | used_in(part.test))
        convert(part.test, needed | {part.condition.block})
        goes_on = _truth(memory, part.condition)
        results = [goes_on, *_read(memory, carried)]
    b.values[goes_on] = bool_, ()
    body = b.body(nodes, inputs, results)
    memory.restore(before, written)
    b.module = module
    if carried:
        made = b.add_many("Loop", "", first, *initial, results=len(carried), body=body)
        _write(memory, carried, made)
    for block in needed.difference([address.block for address in carried]):
        memory.mark_unreadable(block, BY_STEPS)


def _truth(memory: Memory, condition: Address) -> str:
    """Return a condition as a bool; if its float32 was converted from a bool, that one."""
    b, name = memory.b, memory.read(condition._replace(layout=contiguous((), float32)))
    last = b.nodes[-1] if b.nodes else None
    if last is not None and last.op_type == "Cast" and name in last.outputs:
        bools = [form.name for forms in memory.state.forms.values() for form in forms if form.dtype is bool_]
        if last.inputs[0] in bools:
            return last.inputs[0]
    return b.cast(name, bool_)


def _read(memory: Memory, addresses: Sequence[Address]) -> list[str]:
    """Return the values at some addresses, and declare their types as results of a body."""
    names = [memory.read(address) for address in addresses]
    _declare(memory, addresses, names)
    return names


def _write(memory: Memory, addresses: Sequence[Address], names: Sequence[str]) -> None:
    """Write values to some addresses."""
    _declare(memory, addresses, names)
    for name, address in zip(names, addresses, strict=True):
        memory.write(address, name)


def _declare(memory: Memory, addresses: Sequence[Address], names: Sequence[str]) -> None:
    """Declare the dtypes and shapes of values at these addresses."""
    for name, address in zip(names, addresses, strict=True):
        assert address.layout is not None
        memory.b.values[name] = address.layout.dtype, address.layout.shape
