"""Programs with corrupted plans: valid ones with a few changed numbers, and guard memory around each array."""

import struct

import numpy as np
from kernel_helpers import BACKEND, layout
from model_files import Model, add_array, one_launch, write
from portable_cases import CASES, MANY, f4

from facula_cpu._runtime import registry
from facula_cpu.extend import ADDRESS, NUMBER, OWN, Tables, portable_plan

NAMES = [*CASES, *MANY, "cat"]
KERNELS = sorted({(name, signature) for name, signature, _ in registry.all_kernels()})
GUARD, PATTERN = 1 << 12, 0xA5  # bytes before and after each array
ODD = (0, 1, -1, 2, 3, 7, 8, 16, 63, 64, 65, 255, 511, 1 << 15, 1 << 20, 1 << 31, -(1 << 31), (1 << 31) - 1, 1 << 40,
       1 << 46, -(1 << 46), 1 << 62, -(1 << 63), (1 << 63) - 1)  # fmt: skip


def joined():
    """Return a program that concatenates two arrays, which its arguments describe."""
    arrays = (f4(4, 3), f4(4, 5), f4(4, 8))
    plan = portable_plan("cat", BACKEND.plan("cat", tuple(map(layout, arrays[:2])), (layout(arrays[2]),), (1,)).launch)
    tables = Tables()
    rows = [(tables.add("blocks", OWN, 0, one.nbytes), one.nbytes) for one in arrays]
    for place, array in enumerate(arrays):
        add_array(tables, 0, f"a{place}", array, rows[place][0])
    given = [(NUMBER, one, 0, 0) for one in (32, 4, 2, 12, 20)]
    addresses = [(ADDRESS, 0, *row) for row in rows]
    for row in (*given[:3], addresses[0], given[3], addresses[1], given[4], addresses[2]):
        tables.add("arguments", *row)
    tables.add("launches", tables.kernel(plan.kernel), -1, 0, 8, -1, 0, tables.name("cat"))
    return tables, arrays


def program(name):
    """Return a valid program of one launch, with guard memory before and after each array, and the arrays."""
    if name == "cat":
        tables, arrays = joined()
    elif name in MANY:
        operator, rows, numbers = MANY[name]
        arrays = [one for row in rows for one in row]
        _, tables = one_launch(operator, arrays, (), (len(rows[0]),), numbers, many=len(rows))
    else:
        operator, inputs, outputs, parameters, scalars = (*CASES[name], (), ())[:5]
        _, tables = one_launch(operator, inputs, outputs, parameters, scalars)
        arrays = [one for one in (*inputs, *outputs) if not isinstance(one, type)]
    rows = tables.rows
    guard = (OWN, 0, GUARD)
    rows["blocks"] = [guard, *[one for block in rows["blocks"] for one in (block, guard)]]
    rows["arguments"] = [(*row[:2], 2 * row[2] + 1, row[3]) if row[0] == ADDRESS else row for row in rows["arguments"]]
    rows["arrays"] = [(*row[:5], 2 * row[5] + 1, row[6]) for row in rows["arrays"]]
    for block in range(0, len(rows["blocks"]), 2):
        add_array(tables, 1, f"guard{block}", np.zeros(GUARD, "u1"), block)
    return tables, arrays


def odd(rng, number):
    """Return another number to replace this one."""
    changes = (number + 1, number - 1, -number, 2 * number, number // 2, number + int(rng.integers(-64, 64)))
    return int(rng.choice(ODD)) if rng.random() < 0.4 else changes[rng.integers(len(changes))]


def put(rng, data, place, width):
    """Change a number of `width` bytes."""
    format = {1: "<B", 4: "<i", 8: "<q"}[width]
    (number,) = struct.unpack_from(format, data, place)
    bits = 8 * width
    changed = odd(rng, number) % (1 << bits)
    struct.pack_into(format, data, place, changed if width == 1 or changed < 1 << (bits - 1) else changed - (1 << bits))


def forge(rng, tables):
    """Return a program with one to three changed numbers, mostly in plans, and whether arrays kept their places."""
    in_place, kept, data = True, {name: list(rows) for name, rows in tables.rows.items()}, bytes(tables.data)
    for _ in range(rng.integers(1, 4)):
        parts = kept["parts"]
        table = ("data", "arguments", "launches", "kernels", "pointers", "blocks", "parts")[
            rng.choice(7, p=(0.72, 0.1, 0.04, 0.04, 0.04, 0.04, 0.02))
        ]
        in_place &= table not in ("arguments", "blocks")
        if table == "data" and parts:
            _, start, length, _, _ = parts[rng.integers(len(parts))]
            width = int(rng.choice([8, 8, 8, 4, 1]))
            place = start + width * int(rng.integers(length // width))
            other = start + width * int(rng.integers(length // width))
            if rng.random() < 0.1:  # swap two fields
                one, two = tables.data[place : place + width], tables.data[other : other + width]
                tables.data[place : place + width], tables.data[other : other + width] = two, one
            elif width > 1 and rng.random() < 0.1:  # move an amount from one field to the other
                some = int(rng.integers(1, 9))
                for at, sign in ((place, 1), (other, -1)):
                    number = int.from_bytes(tables.data[at : at + width], "little") + sign * some
                    tables.data[at : at + width] = (number % (1 << 8 * width)).to_bytes(width, "little")
            else:
                put(rng, tables.data, place, width)
        elif table == "kernels":
            row = int(rng.integers(len(tables.rows["kernels"])))
            name, signature = KERNELS[rng.integers(len(KERNELS))]
            tables.rows["kernels"][row] = (tables.name(name), tables.name(bytes(signature)))
        elif table != "data" and tables.rows[table]:
            rows = tables.rows[table]
            row, column = int(rng.integers(len(rows))), int(rng.integers(len(rows[0])))
            if table == "arguments" and rng.random() < 0.3:
                rows[row] = rows[rng.integers(len(rows))]
            else:
                changed = (odd(rng, rows[row][column]) + (1 << 63)) % (1 << 64) - (1 << 63)
                rows[row] = (*rows[row][:column], changed, *rows[row][column + 1 :])
    made = tables.bytes(0)
    tables.rows, tables.data = kept, bytearray(data)
    return made, in_place


def trial(path, data, arrays, rng=None, in_place=True, run=Model.run):
    """Return the outcome of loading and running a program: "refused", "failed" or "ran".

    After a run, the guard memory around the arrays is checked. With `rng` some indices are out of range.
    """
    try:
        model = Model(write(path, {"one": data}))
    except ValueError as error:
        assert str(path) in str(error)
        return "refused"
    with model:
        inputs, outputs = model.inputs, model.outputs
        for place, array in enumerate(arrays):
            name = f"a{place}"
            if array is not None and name in inputs and inputs[name].shape == array.shape:
                inputs[name][...] = array.view(np.ndarray)
                if rng and array.dtype == "i8" and rng.random() < 0.3:
                    inputs[name].flat[int(rng.integers(array.size))] = odd(rng, 3)
        guards = [one for name, one in outputs.items() if name.startswith("guard")]
        for guard in guards:
            guard[...] = PATTERN
        try:
            run(model)
        except ValueError:
            return "failed"
        finally:
            assert not in_place or all((guard == PATTERN).all() for guard in guards), "a run wrote beside its arrays"
    return "ran"
