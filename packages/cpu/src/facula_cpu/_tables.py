"""The binary format of a program that runs without Python.

Note [Programs in files]
~~~~~~~~~~~~~~~~~~~~~~~~
A program is one member `run/NAME.bin` of a model's zip, whose tensors are in its member `tensors.safetensors`. It is
little-endian, and consists of tables with rows of 8-byte numbers. The header contains "facularn", the version, the
total length, the bytes of memory for temporaries, a digest of the structs' declarations, and the offset and number of
rows of each table. The tables, in order:

* text: names, each terminated by a zero byte; others refer to them by offset. Its size is in bytes.
* blocks (kind, place, bytes): memory. Kind 0 is in the memory of temporaries; 1 is the program's own, initially
  zero; 2 is a tensor of the file.
* tensors (name, bytes, changed): the minimum size in bytes, and whether a run writes to it.
* kernels (name, signature): rows of the kernel table, the signature as bytes.
* data: the structs of plans, concatenated, with zeros for pointers. Its size is in bytes.
* parts (kind, data, bytes, first, pointers): each struct by name, its position, and its pointers.
* pointers (offset, to part, target): the target of each pointer: a kernel, or another part.
* launches (kernel, part or -1, first argument, arguments, the argument that is the workspace or -1, bytes of the
  workspace, name). Kernel -1 is a jump: if the float32 at its argument is not 0, it skips the number of rows in the
  workspace field; negative numbers jump back, -1 to the jump itself. Kernel -2 jumps if it is 0.
* arguments (kind, value, target, extent): kind 0 is a number (an integer, or a double's bits), 1 an address (offset,
  block, the number of bytes used there), 2 depends on a generator (a number to add; twice the generator's number, plus
  one for its offset).
* arrays (output, name, dtype, dimensions, first, block, offset): inputs and outputs; shape, then strides in bytes, are
  in the next table.
* extents: lengths and strides.
* numbers (name, value, first, uses): numbers that can be set by name.
* uses (argument, base, factor): that argument is base + factor * value.
* generators (key, offset, follows, count, next key, next offset): a run advances the offset by count; or, if it does
  not follow, sets both.

The C library (csrc/files/section.c) reads it and checks every number against the counts and ranges of its targets; a
jump leads to a row, or behind the last. The structs of plans may be forged: a check per kernel compares each launch's
struct with the memory of its arguments (Note [Forged plans] in csrc/reach/reach.c). Launches have consecutive, separate
arguments. Version 1 had only kernel -1, which skipped rows: version 2 reads it unchanged.
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
HEADER = 40  # the size of the header before the table offsets


def wrapped(number: int) -> int:
    """Return the number as an int64 with the same low bits."""
    return (number + (1 << 63)) % (1 << 64) - (1 << 63)


def bits_of(number: float) -> int:
    """Return a double's bits, as an int64."""
    return int.from_bytes(pack("<d", number), "little", signed=True)


def with_streams(program: bytes, state_of: Callable[[int], tuple[int, int]]) -> bytes:
    """Return a program whose generators have other states; other objects are returned unchanged.

    Arguments:
        program: the result of `Tables.bytes`.
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
    """The tables of a program under construction; `bytes()` returns the program."""

    def __init__(self) -> None:
        self.rows: dict[str, list[tuple[int, ...]]] = {name: [] for name in TABLES if name not in ("text", "data")}
        self.text, self.data = bytearray(), bytearray()
        self._names: dict[bytes, int] = {}
        self._kernels: dict[KernelName, int] = {}
        self._parts: dict[tuple[KernelName, Part], int] = {}

    def add(self, table: str, *numbers: int) -> int:
        """Append a row; return its number."""
        self.rows[table].append(numbers)
        return len(self.rows[table]) - 1

    def name(self, text: str | bytes) -> int:
        """Return the offset of a name in the text."""
        data = text.encode() if isinstance(text, str) else text
        if data not in self._names:
            self._names[data] = len(self.text)
            self.text += data + b"\0"
        return self._names[data]

    def kernel(self, kernel: KernelName) -> int:
        """Return the row of a kernel."""
        if kernel not in self._kernels:
            row = self.add("kernels", self.name(kernel.name), self.name(bytes(kernel.signature)))
            self._kernels[kernel] = row
        return self._kernels[kernel]

    def plan(self, kernel: KernelName, part: Part) -> int:
        """Return the row of a launch's plan, which launches of one kernel may share."""
        if (kernel, part) not in self._parts:
            self._parts[kernel, part] = self._part(part)
        return self._parts[kernel, part]

    def jump(self, condition: tuple[int, int, int, int], rows: int, at_zero: bool = False) -> None:
        """Append a jump over rows, forward or backward, taken if a float32 is not 0 (is 0, if `at_zero`).

        Arguments:
            condition: the row of the float32's address.
            rows: the number of rows to skip; negative to jump back, counted from the next row.
            at_zero: selects the condition.
        """
        first = self.add("arguments", *condition)
        self.add("launches", -2 if at_zero else -1, -1, first, 1, -1, rows, self.name("condition"))

    def _part(self, part: Part) -> int:
        """Return the row of a part, after its targets: each has one owner, since products are planned in place."""
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
        for pointer in pointers:
            self.add("pointers", *pointer)
        return self.add("parts", self.name(part.kind), place, len(part.data), first, len(pointers))

    def bytes(self, arena: int) -> bytes:
        """Return the complete program, with so many bytes of temporaries."""
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
