"""An interpreter for pickle opcodes, protocols 2 to 5: it builds plain values and calls rows of a table.

It is a loop over bytes without recursion. It does not implement opcodes that import, that call objects in other ways,
or that exist only in protocols 0 and 1. Copies made by rows are charged to a budget, so that a small file cannot make
the machine copy data repeatedly.
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from time import thread_time
from typing import TYPE_CHECKING

from .tables import Global, Pending, PickleError, Table, Value, refuse, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_NAME = 500
STOP = ord(".")  # the end of a pickle
FREE_TEXT = 64  # copies of strings and bytes up to this length are not charged
FREE_LENGTH = 8  # copies of containers up to this length are not charged
MAX_NESTING = 1000  # nesting of deques and defaultdicts, which C frees recursively
MAX_KEY_DEPTH = 1000  # nesting of tuples in a key; Python's own pickler fails earlier
SMALL = 1 << 4096  # smaller integers are hashed quickly
_DEEP = (tuple, frozenset, int)  # types of keys whose hashing time is proportional to their size

# Note [Keys that hash alike]
# ~~~~~~~~~~~~~~~~~~~~~~~~~~~
# Hashes of numbers are predictable. A file can contain keys that all collide in a dict, where n keys take n * n steps,
# although every single key looks normal. Therefore the machine measures the CPU time for filling large dicts and sets,
# and rejects a pickle that takes far longer than normal keys do (0.1 to 2 us each).
FEW_KEYS = 64  # containers up to this length are not timed
PIECE = 512  # keys and values that are inserted between two readings of the clock
FREE_SECONDS = 0.2
SECONDS_PER_KEY = 10e-6

_RECURSIVE = frozenset({deque, defaultdict})
_DICTS = frozenset({dict, OrderedDict, defaultdict, Counter})
_FREE: dict[type, int] = dict.fromkeys((str, bytes, bytearray), FREE_TEXT)
_FREE |= dict.fromkeys((list, tuple, set, frozenset, *_DICTS), FREE_LENGTH)


class Machine:
    """An interpreter of one pickle.

    Arguments:
        data: the bytes that contain the pickle.
        start: the offset of the pickle.
        table: the globals that it may use.
        persistent: returns the object for a persistent id.
    """

    def __init__(self, data: bytes, start: int, table: Table, persistent: Callable[[Value], Value]) -> None:
        self.data, self.position, self.table, self.persistent = data, start, table, persistent
        self.stack: list[Value] = []
        self.marks: list[list[Value]] = []  # the outer stacks
        self.memo: dict[int, Value] = {}
        self.rows: dict[int, Global] = {}  # by the id of their objects, which the table keeps alive
        self.builders: dict[type, Global] = {}
        self.unfilled: dict[int, Value] = {}  # instances without their state, by id
        self.depths: dict[int, int] = {}  # of deques and defaultdicts that contain others, by id
        self.inside: set[int] = set()  # ids of deques and defaultdicts contained in another one
        self.budget = 2 * (len(data) - start) + (1 << 16)
        self.seconds = FREE_SECONDS  # the remaining time for filling containers

    def run(self, opcodes: Sequence[Callable[[Machine], None]]) -> Value:
        """Run the pickle and return its value; `position` is then its end. Raises PickleError for invalid pickles."""
        data = self.data
        try:
            code = data[self.position]
            while code != STOP:
                self.position += 1
                opcodes[code](self)
                code = data[self.position]
            self.position += 1
            if self.marks or len(self.stack) != 1:
                refuse("its pickle ends with unused values")
            for value in self.unfilled.values():
                refuse(f"its pickle has {shown(value)} without a state")
            return self.stack[0]
        except PickleError:
            raise
        except IndexError:
            if self.position >= len(data):
                refuse("its pickle is truncated")
            refuse(f"its pickle takes missing values, before byte {self.position}")
        except KeyError:
            refuse(f"its pickle refers to a missing value, before byte {self.position}")
        except (MemoryError, KeyboardInterrupt):
            raise
        except Exception as error:  # raised by a row, or by a value of the wrong type: the pickle is invalid
            refuse(f"its pickle does not fit, before byte {self.position}: {type(error).__name__}: {error!s:.200}")

    # ------------------------------------------------------------------------------------------------ parts
    def take(self, count: int) -> bytes:
        """Return the next `count` bytes."""
        end = self.position + count
        if count < 0 or end > len(self.data):
            self.position = len(self.data)
            refuse("its pickle is truncated")
        taken = self.data[self.position : end]
        self.position = end
        return taken

    def line(self) -> str:
        """Return a name that ends with the line."""
        end = self.data.find(b"\n", self.position, self.position + MAX_NAME)
        if end < 0:
            refuse("its pickle has a name that does not end")
        text = self.data[self.position : end].decode()
        self.position = end + 1
        return text

    def marked(self) -> list[Value]:
        """Return the values since the last mark."""
        values = self.stack
        self.stack = self.marks.pop()
        return values

    def spend(self, row: Global, values: Sequence[Value]) -> None:
        """Charge the budget for the data that a row copies from the arguments of a call, or from a state."""
        if row.named:  # the program's class is assumed to keep its arguments without copying
            return
        if len(values) > FREE_LENGTH:
            self.charge(len(values))
        self.charge(sum(map(_cost, values)))
        for value in row.inner(*values) if row.inner is not None else ():
            self.charge(_cost(value))

    def charge(self, cost: int) -> None:
        """Subtract a cost from the budget."""
        self.budget -= cost
        if self.budget < 0:
            refuse("its pickle copies far more than it contains: a bomb")

    def nest(self, target: Value, members: Sequence[Value]) -> None:
        """Limit the nesting of deques and defaultdicts. A regular pickle fills them before it nests them."""
        depth = 0
        for member in members:
            if type(member) in _RECURSIVE:
                depth = max(depth, self.depths.get(id(member), 0) + 1)
                self.inside.add(id(member))
        if depth > MAX_NESTING or (depth and id(target) in self.inside):
            refuse(f"its pickle has more than {MAX_NESTING:,} deques and defaultdicts in each other")
        if depth > self.depths.get(id(target), 0):
            self.depths[id(target)] = depth

    def row_of(self, value: Value) -> Global:
        """Return the row of a global on the stack."""
        row = self.rows.get(id(value)) or self.table.row_of(value)
        if row is None:
            refuse(f"its pickle calls {shown(value)}, which is not a class or function of the table")
        return row

    def push_global(self, module: str, name: str) -> None:
        """Push the object of a global."""
        self.push(self.table.find(module, name, self.before_attribute()))

    def before_attribute(self) -> bool:
        """Return whether the next value is an argument of `getattr`."""
        return bool(self.stack) and self.stack[-1] is self.table.getter is not None

    def again(self, value: Value) -> Value:
        """Check a value of the memo; raise PickleError for a name without a row, unless `getattr` is called next."""
        if type(value) is Pending and not self.before_attribute():
            self.table.unknown(value.name)
        return value

    def push(self, row: Global) -> None:
        """Push the object of a row and permit calls of it."""
        if row.call is not None or row.new is not None or row.build is not None:
            self.rows[id(row.value)] = row
            kind = row.instance or (row.value if isinstance(row.value, type) else None)
            if kind is not None and row.build is not None:
                self.builders[kind] = row
        self.stack.append(row.value)

    def builder_of(self, instance: Value) -> Global | None:
        """Return the row that sets the state of an instance."""
        for kind in type(instance).__mro__:
            row = self.builders.get(kind)
            if row is not None:
                return row
        return None

    def is_open(self, target: Value, kind: type) -> bool:
        """Return whether a target is of a container class that the program permitted."""
        row = self.builder_of(target)
        return row is not None and row.named and (row.instance is not None or isinstance(target, kind))

    # ------------------------------------------------------------------------------------------- containers
    def key(self, key: Value) -> Value:
        """Return a key of a dict or member of a set if its hashing cost is bounded: tuples hash all members."""
        if type(key) is str or (type(key) is int and -SMALL < key < SMALL):
            return key
        parts = depth = 0
        level = [key] if isinstance(key, _DEEP) else []
        while level:
            parts += sum([item.bit_length() >> 6 if isinstance(item, int) else len(item) for item in level])
            depth += 1
            if depth > MAX_KEY_DEPTH or parts > self.budget:
                refuse(
                    f"its pickle has a {type(key).__name__} as a key that takes far longer to hash than to read: a bomb"
                )
            level = [
                member
                for members in level
                if not isinstance(members, int)
                for member in members
                if isinstance(member, _DEEP)
            ]
        if parts > FREE_TEXT:
            self.budget -= parts
        return key

    def measured(self, begin: float, keys: int) -> None:
        """Limit the time since `begin` for inserting keys into a container: Note [Keys that hash alike]."""
        self.seconds += keys * SECONDS_PER_KEY - (thread_time() - begin)
        if self.seconds < 0:
            refuse("its pickle has keys that hash alike, which take far longer than others: a bomb")

    def add(self, target: set[Value], values: list[Value]) -> set[Value]:
        """Add members to a set."""
        for start in range(0, len(values), PIECE):
            begin = thread_time()
            piece = values[start : start + PIECE]
            target.update([self.key(item) for item in piece])
            if len(target) > FEW_KEYS:
                self.measured(begin, len(piece))
        return target

    def set_items(self, target: Value, pairs: list[Value]) -> None:
        """Insert alternating keys and values into a dict."""
        if len(pairs) % 2:
            refuse("its pickle has a key without a value")
        if type(target) not in _DICTS:
            if not self.is_open(target, dict):
                refuse(f"its pickle puts items into {shown(target)}")
        if type(target) is defaultdict:
            self.nest(target, pairs)
        for start in range(0, len(pairs), PIECE):
            begin = thread_time() if len(target) > FEW_KEYS else None
            end = min(start + PIECE, len(pairs))
            for place in range(start, end, 2):
                target[self.key(pairs[place])] = pairs[place + 1]
            if begin is not None:
                self.measured(begin, (end - start) // 2)

    def extend(self, target: Value, values: list[Value]) -> None:
        """Append values to a list."""
        if type(target) is not list and type(target) is not deque:
            if not self.is_open(target, list):
                refuse(f"its pickle appends to {shown(target)}")
        if type(target) is deque:
            self.nest(target, values)
        target.extend(values)


def _cost(value: Value) -> int:
    """Return the cost of copying a value, if it exceeds that of reading it."""
    if type(value) is int:
        return value.bit_length() >> 6
    free = _FREE.get(type(value))
    return 0 if free is None or len(value) <= free else len(value)
