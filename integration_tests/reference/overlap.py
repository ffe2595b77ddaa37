"""In-place and `out=` calls that are refused because their operands overlap in memory.

A case is two programs of views over one tensor of 4 by 6 elements: the first makes the output, the second the input.
The programs are drawn at random, from a seed, to cover more than hand-picked cases.
"""

from __future__ import annotations

import random

CASES = 400
SHAPE = (4, 6)


def draw_program(rng: random.Random) -> list[tuple]:
    """Draw one to three views, each valid for the result of the previous one."""
    shape = list(SHAPE)
    program: list[tuple] = []
    for _ in range(rng.randint(1, 3)):
        kind = rng.choice(("slice", "slice", "transpose", "select", "expand"))
        dim = rng.randrange(len(shape))
        if kind == "slice":
            start = rng.randrange(shape[dim])
            stop = rng.randint(start + 1, shape[dim])
            step = rng.randint(1, 2)
            program.append(("slice", dim, start, stop, step))
            shape[dim] = -(-(stop - start) // step)
        elif kind == "transpose" and len(shape) == 2:
            program.append(("transpose",))
            shape.reverse()
        elif kind == "select" and len(shape) == 2:
            program.append(("select", dim, rng.randrange(shape[dim])))
            del shape[dim]
        elif kind == "expand" and 1 in shape:
            shape = [rng.randint(2, 3) if size == 1 else size for size in shape]
            program.append(("expand", *shape))
    return program


def view(tensor, program):
    """Apply a program of views."""
    for kind, *arguments in program:
        if kind == "slice":
            dim, start, stop, step = arguments
            tensor = tensor[(slice(None),) * dim + (slice(start, stop, step),)]
        elif kind == "transpose":
            tensor = tensor.transpose(0, 1)
        elif kind == "select":
            tensor = tensor.select(*arguments)
        else:
            tensor = tensor.expand(*arguments)
    return tensor


def places(library, program) -> list[int]:
    """Return the memory positions of a view's elements, in the view's order."""
    return view(library.arange(24).reshape(*SHAPE), program).reshape(-1).tolist()


def outcome(library, write, read) -> str:
    """Return "refused", "overlapping" if a written element may be read again, or all elements afterwards."""
    base = library.arange(24, dtype=library.float32).reshape(*SHAPE)
    try:
        view(base, write).add_(view(base, read))
    except RuntimeError:
        return "refused"
    written, taken = places(library, write), places(library, read)
    if written != taken and set(written) & set(taken):
        return "overlapping"
    return " ".join(str(int(value)) for value in base.reshape(-1).tolist())


def comparable(library, write, read) -> bool:
    """Return whether shapes are equal and no element has two strides, which PyTorch may take for two elements."""
    base = library.zeros(SHAPE)
    if tuple(view(base, write).shape) != tuple(view(base, read).shape):
        return False
    return write == read or places(library, write) != places(library, read)


def answers(library) -> dict[str, str]:
    """Return each case's programs in words, and the outcome of `written.add_(read)`."""
    rng = random.Random(7)
    found: dict[str, str] = {}
    while len(found) < CASES:
        write, read = draw_program(rng), draw_program(rng)
        if comparable(library, write, read):
            found[f"{write}.add_({read})"] = outcome(library, write, read)
    return found
