"""The binary form of a program that runs without Python.

Note [Programs in files]
~~~~~~~~~~~~~~~~~~~~~~~~
A program is one member `run/NAME.bin` of a model's zip, whose tensors lie in its member `tensors.safetensors`. It is
little-endian, and made of tables whose rows are 8-byte numbers. It begins with "facularn", the version, the length of
all, the bytes of memory for temporaries, a digest of the structs' declarations, and of each table where it begins and
how many rows it has. Tables, in their order:

* text: names, each ended by a zero byte; others name them by their place. It counts bytes.
* blocks (kind, place, bytes): memory. Kind 0 lies in the memory of temporaries; 1 is the program's own, zero at first;
  2 is a tensor of the file.
* tensors (name, bytes, changed): how many bytes it needs at least, and whether a run writes there.
* kernels (name, signature): rows of the kernel table, the signature as bytes.
* data: the structs of plans, one after the other, with zeros for pointers. It counts bytes.
* parts (kind, data, bytes, first, pointers): each struct by name, where it is, and its pointers.
* pointers (offset, to part, target): what each points to: a kernel, or another part.
* launches (kernel, part or -1, first argument, arguments, the argument that is the workspace or -1, bytes of the
  workspace, name). Kernel -1 is a jump: where the float32 at its argument is not 0, as many rows as the workspace says
  are left out; less than 0 goes back, -1 to the jump itself. Kernel -2 does so where it is 0.
* arguments (kind, value, target, extent): kind 0 is a number (an integer, or a double's bits), 1 an address (offset,
  block, how many bytes are used there), 2 comes from a generator (what is added; twice its number, one more for its
  offset).
* arrays (output, name, dtype, dimensions, first, block, offset): inputs and outputs; shape, then strides in bytes, are
  in the next table.
* extents: lengths and strides.
* numbers (name, value, first, uses): what may be set by name.
* uses (argument, base, factor): that argument is base + factor * value.
* generators (key, offset, follows, count, next key, next offset): a run moves the offset on by count; or, where it does
  not follow, sets both.

The C library (csrc/files/section.c) reads it and compares every number with what it counts or points into; a jump leads
to a row, or behind the last. The structs of plans are bytes that somebody may have made up: each launch's is compared
with the memory of its arguments, by a check for each kernel (Note [Forged plans] in csrc/reach/reach.c). Launches
follow one another in the arguments: none is shared. Version 1 had kernel -1 alone, and left rows out: version 2 reads
it as it is.
"""

from __future__ import annotations

from struct import pack, pack_into, unpack_from
from typing import TYPE_CHECKING

from ._kernels import lib
from ._portable import KernelName

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._portable import Part

MAGIC, VERSION = b"facularn", 2
TABLES = ("text", "blocks", "tensors", "kernels", "data", "parts", "pointers", "launches", "arguments", "arrays",
          "extents", "numbers", "uses", "generators")  # fmt: skip
TEMPORARY, OWN, TENSOR = range(3)  # kinds of blocks
NUMBER, ADDRESS, CELL = range(3)  # kinds of arguments
ALIGNMENT = 64
HEADER = 40  # bytes before the places of tables


def wrapped(number: int) -> int:
    """The number as an int64 with the same low bits."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def bits_of(number: float) -> int:
    """A double's bits, as an int64."""
    return int.from_bytes(pack("<d", number), "little", signed=True)


def with_streams(program: bytes, state_of: Callable[[int], tuple[int, int]]) -> bytes:
    """A program whose generators are in other states; what is no program stays as it is.

    Arguments:
        program: what `Tables.bytes` gave.
        state_of: a generator's key and offset, by its number.
    """
    place, row = HEADER + 16 * TABLES.index("generators"), 48
    if program[: len(MAGIC)] != MAGIC or len(program) < place + 16:
        return program
    start, count = unpack_from("<2q", program, place)
    if start < 0 or count < 0 or start + row * count > len(program):
        return program
    made = bytearray(program)
    for number in range(count):
        pack_into("<2q", made, start + row * number, *map(wrapped, state_of(number)))
    return bytes(made)


class Tables:
    """The tables of a program, while it is written; `bytes()` gives it."""

    def __init__(self) -> None:
        self.rows: dict[str, list[tuple[int, ...]]] = {name: [] for name in TABLES if name not in ("text", "data")}
        self.text, self.data = bytearray(), bytearray()
        self._names: dict[bytes, int] = {}
        self._kernels: dict[KernelName, int] = {}
        self._parts: dict[tuple[KernelName, Part], int] = {}

    def add(self, table: str, *numbers: int) -> int:
        """Append a row; its number."""
        self.rows[table].append(numbers)
        return len(self.rows[table]) - 1

    def name(self, text: str | bytes) -> int:
        """The place of a name in the text."""
        data = text.encode() if isinstance(text, str) else text
        if data not in self._names:
            self._names[data] = len(self.text)
            self.text += data + b"\0"
        return self._names[data]

    def kernel(self, kernel: KernelName) -> int:
        """The row of a kernel."""
        if kernel not in self._kernels:
            row = self.add("kernels", self.name(kernel.name), self.name(bytes(kernel.signature)))
            self._kernels[kernel] = row
        return self._kernels[kernel]

    def plan(self, kernel: KernelName, part: Part) -> int:
        """The row of a launch's plan, which launches of one kernel may share."""
        if (kernel, part) not in self._parts:
            self._parts[kernel, part] = self._part(part)
        return self._parts[kernel, part]

    def jump(self, condition: tuple[int, int, int, int], rows: int, at_zero: bool = False) -> None:
        """Append a jump: where a float32 is not 0 (is 0, if `at_zero`), launches go on so many rows later, or earlier.

        Arguments:
            condition: the row of the float32's address.
            rows: how many rows are left out; of those before it less than 0, counted from the next row on.
            at_zero: which of the two.
        """
        first = self.add("arguments", *condition)
        self.add("launches", -2 if at_zero else -1, -1, first, 1, -1, rows, self.name("condition"))

    def _part(self, part: Part) -> int:
        """The row of a part, after those that it points to: each has one owner, since products are planned in place."""
        pointers = [
            (
                offset,
                int(not isinstance(to, KernelName)),
                self.kernel(to) if isinstance(to, KernelName) else self._part(to),
            )
            for offset, to in part.pointers
        ]
        self.data += bytes(-len(self.data) % ALIGNMENT)
        place, first = len(self.data), len(self.rows["pointers"])
        self.data += part.data
        for one in pointers:
            self.add("pointers", *one)
        return self.add("parts", self.name(part.kind), place, len(part.data), first, len(pointers))

    def bytes(self, arena: int) -> bytes:
        """All of it, for so many bytes of temporaries."""
        start = HEADER + 16 * len(TABLES)
        header, body = bytearray(), bytearray()
        for name in TABLES:
            if name in ("text", "data"):
                table, count = (self.text, len(self.text)) if name == "text" else (self.data, len(self.data))
            else:
                rows = self.rows[name]
                table, count = bytearray(b"".join([pack(f"<{len(row)}q", *row) for row in rows])), len(rows)
            header += pack("<2q", start + len(body), count)
            body += table + bytes(-len(table) % 8)
        return (
            MAGIC
            + pack("<4q", VERSION, start + len(body), arena, lib.facula_plans_digest())
            + bytes(header)
            + bytes(body)
        )
