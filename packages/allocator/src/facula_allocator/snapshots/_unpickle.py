"""A reader of plain-data pickles that does not execute them.

A pickle is a program for a small virtual machine. The machine here implements only the instructions that create text,
numbers, lists, tuples and dicts: nothing can be imported or called, regardless of the file's contents, and each error
names its byte. The result of an instruction is never larger than the file.
"""

from __future__ import annotations

import pickletools
import struct
from typing import Any

from facula_errors import FaculaError, InvalidTypeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = {ord(opcode.code): opcode.name for opcode in pickletools.opcodes}


class BadPickle(FaculaError, ValueError):  # never leaves this folder
    """A pickle that is damaged, or contains more than plain data; `byte` is the place."""

    def __init__(self, byte: int, problem: str) -> None:
        super().__init__(byte, problem)
        self.byte, self.problem = byte, problem


def unpickle(data: bytes) -> object:
    """Return the object in a pickle of protocol 2 to 5: text, numbers, lists, tuples and dicts.

    Raises:
        BadPickle: the pickle contains anything else.
    """
    return _Machine(data).run()


class _Machine:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}

    def run(self) -> object:
        data, table, start = self.data, _TABLE, 0
        try:
            while True:
                start = self.at
                code = data[start]
                self.at = start + 1
                if code == 0x2E:  # STOP
                    break
                table[code](self)
        except KeyError:
            known = NAMES.get(data[start])
            got = f"the instruction {known}" if known else f"the byte {data[start]:#04x}"
            problem = f"expected a pickle that contains only text, numbers, lists and dicts; got {got}"
            raise BadPickle(start, problem) from None
        except (IndexError, struct.error):
            rest = "the file ends" if self.at >= len(data) else "an instruction lacks its operands"
            raise BadPickle(start, f"expected a complete pickle; {rest}") from None
        except (TypeError, AttributeError, UnicodeDecodeError) as error:
            raise BadPickle(start, f"expected a pickle that Python wrote; got {NAMES[data[start]]}: {error}") from None
        if len(self.stack) != 1 or self.marks:
            raise BadPickle(start, f"expected one object; got {len(self.stack)}")
        if data[self.at :].strip(b"\0"):
            raise BadPickle(self.at, f"expected the end of the pickle; got {len(data) - self.at} bytes more")
        return self.stack[0]

    def take(self, count: int) -> bytes:
        """Return the next bytes."""
        start = self.at
        if count > len(self.data) - start:
            self.at = len(self.data)
            raise BadPickle(start, f"expected {count} more bytes; the file ends after {len(self.data) - start}")
        self.at = start + count
        return self.data[start : self.at]

    def number(self, layout: struct.Struct) -> int:
        (value,) = layout.unpack_from(self.data, self.at)
        self.at += layout.size
        return int(value)

    def push(self, value: object) -> None:
        self.stack.append(value)

    def since_mark(self) -> list[Any]:
        """Pop the values pushed since the last mark."""
        start = self.marks.pop()
        items = self.stack[start:]
        del self.stack[start:]
        return items

    # Instructions -----------------------------------------------------------------------------------------------------

    def proto(self) -> None:
        version = self.take(1)[0]
        if not 2 <= version <= 5:
            raise BadPickle(self.at - 1, f"expected a pickle of protocol 2 to 5; got {version}")

    def frame(self) -> None:
        length = self.number(_UINT8)
        if length > len(self.data) - self.at:
            problem = f"expected a frame of {length} bytes; the file ends after {len(self.data) - self.at}"
            raise BadPickle(self.at, problem)

    def text(self, layout: struct.Struct) -> None:
        self.stack.append(self.take(self.number(layout)).decode("utf-8", "surrogatepass"))

    def long(self, layout: struct.Struct) -> None:
        length = self.number(layout)
        if length > 16:
            raise BadPickle(self.at, f"expected an integer of at most 16 bytes; got one of {length}")
        self.stack.append(int.from_bytes(self.take(length), "little", signed=True))

    def real(self) -> None:
        self.stack.append(struct.unpack(">d", self.take(8))[0])

    def append(self) -> None:
        value = self.stack.pop()
        _list(self.stack[-1]).append(value)

    def appends(self) -> None:
        items = self.since_mark()
        _list(self.stack[-1]).extend(items)

    def setitem(self) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        _dict(self.stack[-1])[_key(key)] = value

    def setitems(self) -> None:
        items = self.since_mark()
        target = _dict(self.stack[-1])
        for i in range(0, len(items), 2):
            target[_key(items[i])] = items[i + 1]

    def tuple_of(self, count: int) -> None:
        self.stack[-count]  # raises IndexError if there are fewer
        items = tuple(self.stack[-count:])
        del self.stack[-count:]
        self.stack.append(items)

    def put(self, layout: struct.Struct) -> None:
        self.memo[self.number(layout)] = self.stack[-1]

    def memoize(self) -> None:
        self.memo[len(self.memo)] = self.stack[-1]

    def get(self, layout: struct.Struct) -> None:
        start, index = self.at, self.number(layout)
        if index not in self.memo:
            raise BadPickle(start, f"expected the number of an object before it; got {index}")
        self.stack.append(self.memo[index])


def _list(value: Any) -> list[Any]:
    if type(value) is not list:
        raise InvalidTypeError(f"expected a list, got a {type(value).__name__}")
    return value


def _dict(value: Any) -> dict[Any, Any]:
    if type(value) is not dict:
        raise InvalidTypeError(f"expected a dict, got a {type(value).__name__}")
    return value


def _key(value: Any) -> Any:
    if type(value) is not str and type(value) is not int:
        raise InvalidTypeError(f"expected a key that is text or an integer, got a {type(value).__name__}")
    return value


_INT4, _UINT1, _UINT2, _UINT4, _UINT8 = map(struct.Struct, ("<i", "<B", "<H", "<I", "<Q"))

_BY_NAME: dict[str, Callable[[_Machine], None]] = {
    "PROTO": _Machine.proto,
    "FRAME": _Machine.frame,
    "MARK": lambda machine: machine.marks.append(len(machine.stack)),
    "NONE": lambda machine: machine.push(None),
    "NEWTRUE": lambda machine: machine.push(True),
    "NEWFALSE": lambda machine: machine.push(False),
    "BININT": lambda machine: machine.push(machine.number(_INT4)),
    "BININT1": lambda machine: machine.push(machine.number(_UINT1)),
    "BININT2": lambda machine: machine.push(machine.number(_UINT2)),
    "LONG1": lambda machine: machine.long(_UINT1),
    "LONG4": lambda machine: machine.long(_UINT4),
    "BINFLOAT": _Machine.real,
    "SHORT_BINUNICODE": lambda machine: machine.text(_UINT1),
    "BINUNICODE": lambda machine: machine.text(_UINT4),
    "BINUNICODE8": lambda machine: machine.text(_UINT8),
    "EMPTY_LIST": lambda machine: machine.push([]),
    "APPEND": _Machine.append,
    "APPENDS": _Machine.appends,
    "LIST": lambda machine: machine.push(machine.since_mark()),
    "EMPTY_TUPLE": lambda machine: machine.push(()),
    "TUPLE": lambda machine: machine.push(tuple(machine.since_mark())),
    "TUPLE1": lambda machine: machine.tuple_of(1),
    "TUPLE2": lambda machine: machine.tuple_of(2),
    "TUPLE3": lambda machine: machine.tuple_of(3),
    "EMPTY_DICT": lambda machine: machine.push({}),
    "SETITEM": _Machine.setitem,
    "SETITEMS": _Machine.setitems,
    "BINPUT": lambda machine: machine.put(_UINT1),
    "LONG_BINPUT": lambda machine: machine.put(_UINT4),
    "MEMOIZE": _Machine.memoize,
    "BINGET": lambda machine: machine.get(_UINT1),
    "LONG_BINGET": lambda machine: machine.get(_UINT4),
}
_TABLE = {code: _BY_NAME[name] for code, name in NAMES.items() if name in _BY_NAME}
