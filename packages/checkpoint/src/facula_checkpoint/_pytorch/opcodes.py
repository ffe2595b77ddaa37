"""The pickle opcodes, as functions that modify a machine. Opcodes that are not in the table are rejected."""

from __future__ import annotations

import struct
from collections import deque
from typing import TYPE_CHECKING

from .machine import MAX_NAME, Machine
from .tables import Global, Pending, Value, refuse, shown

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_INTEGER = 255  # bytes of an integer: larger ones take far longer to hash and to multiply than to read
MAX_MARKS = 20_000  # nested containers; Python's own pickler reaches a tenth of that


def _proto(m: Machine) -> None:
    version = m.take(1)[0]
    if not 2 <= version <= 5:
        refuse(f"its pickle is of protocol {version}; expected 2 to 5")


def _frame(m: Machine) -> None:
    if int.from_bytes(m.take(8), "little") > len(m.data) - m.position:
        refuse("its pickle is truncated")


def _mark(m: Machine) -> None:
    if len(m.marks) >= MAX_MARKS:
        refuse(f"its pickle nests more than {MAX_MARKS} containers")
    m.marks.append(m.stack)
    m.stack = []


def _pop(m: Machine) -> None:
    if m.stack:
        m.stack.pop()
    else:
        m.marked()


def _pop_mark(m: Machine) -> None:
    m.marked()


def _duplicate(m: Machine) -> None:
    m.stack.append(m.stack[-1])


def _constant(value: Value) -> Callable[[Machine], None]:
    return lambda m: m.stack.append(value)


def _byte(m: Machine) -> None:
    m.stack.append(m.data[m.position])
    m.position += 1


def _integer(count: int, signed: bool = False) -> Callable[[Machine], None]:
    return lambda m: m.stack.append(int.from_bytes(m.take(count), "little", signed=signed))


def _counted(width: int, convert: Callable[[bytes], Value]) -> Callable[[Machine], None]:
    """Return an opcode for bytes that are preceded by their number, in `width` bytes."""
    return lambda m: m.stack.append(convert(m.take(int.from_bytes(m.take(width), "little"))))


def _long(m: Machine) -> None:
    m.stack.append(int.from_bytes(m.take(m.take(1)[0]), "little", signed=True))


def _huge(m: Machine) -> None:
    count = int.from_bytes(m.take(4), "little")
    refuse(f"its pickle has an integer of {count} bytes; expected at most {MAX_INTEGER}; save larger ones as text")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _old_text(width: int) -> Callable[[Machine], None]:
    """Return an opcode for a string of Python 2; the encoding "bytes" yields bytes, as in `pickle.load`."""

    def old_text(m: Machine) -> None:
        data, encoding = m.take(int.from_bytes(m.take(width), "little")), m.table.encoding
        m.stack.append(data if encoding == "bytes" else data.decode(encoding, m.table.errors))

    return old_text


def _float(m: Machine) -> None:
    m.stack.append(struct.unpack(">d", m.take(8))[0])


def _append(m: Machine) -> None:
    value = m.stack.pop()
    m.extend(m.stack[-1], [value])


def _appends(m: Machine) -> None:
    values = m.marked()
    m.extend(m.stack[-1], values)


def _set_item(m: Machine) -> None:
    value, key = m.stack.pop(), m.stack.pop()
    m.set_items(m.stack[-1], [key, value])


def _set_items(m: Machine) -> None:
    pairs = m.marked()
    m.set_items(m.stack[-1], pairs)


def _add_items(m: Machine) -> None:
    values = m.marked()
    if type(m.stack[-1]) is not set:
        refuse(f"its pickle adds members to {shown(m.stack[-1])}")
    m.add(m.stack[-1], values)


def _frozen_set(m: Machine) -> None:
    values = m.marked()
    m.stack.append(frozenset(m.add(set(), values)))


def _tuple(m: Machine) -> None:
    values = m.marked()
    m.stack.append(tuple(values))


def _short_tuple(count: int) -> Callable[[Machine], None]:
    def made(m: Machine) -> None:
        if len(m.stack) < count:
            refuse("its pickle takes missing values")
        m.stack[-count:] = [tuple(m.stack[-count:])]

    return made


def _empty(kind: type) -> Callable[[Machine], None]:
    return lambda m: m.stack.append(kind())


def _list_of_marked(m: Machine) -> None:
    values = m.marked()
    m.stack.append(values)


def _dict_of_marked(m: Machine) -> None:
    pairs = m.marked()
    made: dict[Value, Value] = {}
    m.set_items(made, pairs)
    m.stack.append(made)


def _put(m: Machine) -> None:
    m.memo[m.data[m.position]] = m.stack[-1]
    m.position += 1


def _long_put(m: Machine) -> None:
    m.memo[int.from_bytes(m.take(4), "little")] = m.stack[-1]


def _memoize(m: Machine) -> None:
    m.memo[len(m.memo)] = m.stack[-1]


def _get(m: Machine) -> None:
    value = m.memo[m.data[m.position]]
    m.position += 1
    m.stack.append(m.again(value) if type(value) is Pending else value)


def _long_get(m: Machine) -> None:
    value = m.memo[int.from_bytes(m.take(4), "little")]
    m.stack.append(m.again(value) if type(value) is Pending else value)


def _global(m: Machine) -> None:
    m.push_global(m.line(), m.line())


def _stack_global(m: Machine) -> None:
    name, module = m.stack.pop(), m.stack.pop()
    if type(name) is not str or type(module) is not str or len(name) + len(module) > MAX_NAME:
        refuse("its pickle has a name that is not a string")
    m.push_global(module, name)


def _arguments(value: Value) -> tuple[Value, ...]:
    if type(value) is not tuple:
        refuse(f"its pickle calls with {shown(value)}; expected a tuple of arguments")
    return value


def _reduce(m: Machine) -> None:
    arguments, called = _arguments(m.stack.pop()), m.stack.pop()
    row = m.row_of(called)
    if row.call is None:
        refuse(f"its pickle calls {shown(called)}, which is not for calling")
    m.spend(row, arguments)
    if row.hashed is not None:
        m.add(set(), row.hashed(*arguments))
    made = row.call(*arguments)
    if type(made) is Global:  # the result of `getattr`
        m.push(made)
        return
    if type(made) is deque:
        m.nest(made, list(made))
    m.stack.append(made)


def _new(m: Machine, called: Value, arguments: Value, keywords: Value) -> None:
    row = m.row_of(called)
    if row.new is None or type(keywords) is not dict or (keywords and not row.named):
        refuse(f"its pickle makes an instance of {shown(called)}, which is not for that")
    arguments = _arguments(arguments)
    m.spend(row, arguments)
    made = row.new(*arguments, **keywords)
    if row.stateful:
        m.unfilled[id(made)] = made
    m.stack.append(made)


def _new_object(m: Machine) -> None:
    arguments, called = m.stack.pop(), m.stack.pop()
    _new(m, called, arguments, {})


def _new_object_with_keywords(m: Machine) -> None:
    keywords, arguments, called = m.stack.pop(), m.stack.pop(), m.stack.pop()
    _new(m, called, arguments, keywords)


def _build(m: Machine) -> None:
    state, instance = m.stack.pop(), m.stack[-1]
    row = m.builder_of(instance)
    if row is None or row.build is None:
        refuse(f"its pickle sets the state of {shown(instance)}")
    if row.stateful and m.unfilled.pop(id(instance), None) is None:
        refuse(f"its pickle sets the state of {shown(instance)} twice")
    m.spend(row, state if type(state) is tuple else (state,))
    row.build(instance, state)


def _persistent_id(m: Machine) -> None:
    m.stack.append(m.persistent(m.stack.pop()))


_ALLOWED: dict[bytes, Callable[[Machine], None]] = {
    b"\x80": _proto, b"\x95": _frame, b"(": _mark, b"0": _pop, b"1": _pop_mark, b"2": _duplicate,
    b"N": _constant(None), b"\x88": _constant(True), b"\x89": _constant(False),
    b"K": _byte, b"M": _integer(2), b"J": _integer(4, signed=True), b"\x8a": _long, b"\x8b": _huge,
    b"G": _float,
    b"U": _old_text(1), b"T": _old_text(4), b"C": _counted(1, bytes), b"B": _counted(4, bytes),
    b"\x8e": _counted(8, bytes), b"\x96": _counted(8, bytearray),
    b"\x8c": _counted(1, _text), b"X": _counted(4, _text), b"\x8d": _counted(8, _text),
    b"]": _empty(list), b"a": _append, b"e": _appends, b"l": _list_of_marked, b"}": _empty(dict), b"s": _set_item,
    b"u": _set_items, b"d": _dict_of_marked, b"\x8f": _empty(set), b"\x90": _add_items, b"\x91": _frozen_set,
    b")": _constant(()), b"t": _tuple, b"\x85": _short_tuple(1), b"\x86": _short_tuple(2), b"\x87": _short_tuple(3),
    b"q": _put, b"r": _long_put, b"\x94": _memoize, b"h": _get, b"j": _long_get,
    b"c": _global, b"\x93": _stack_global, b"R": _reduce, b"\x81": _new_object, b"\x92": _new_object_with_keywords,
    b"b": _build, b"Q": _persistent_id,
}  # fmt: skip


def _refused(m: Machine) -> None:
    at = m.position - 1
    refuse(f"its pickle has the opcode {bytes(m.data[at : at + 1])!r} at byte {at}, which no checkpoint needs")


OPCODES = [_ALLOWED.get(bytes([code]), _refused) for code in range(256)]
