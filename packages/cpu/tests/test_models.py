"""The C library on files: results and state of runs, and messages for refused files."""

import os
import struct
import zipfile
import zlib

import numpy as np
import pytest
from model_files import (
    LIB,
    RATE,
    RNG,
    WEIGHT,
    Model,
    add_array,
    add_launch,
    loop_program,
    plan_for,
    step_program,
    wanted,
    write,
)  # fmt: skip

from facula_cpu._tables import HEADER, TABLES
from facula_cpu.extend import ADDRESS, CELL, NUMBER, OWN, Tables, bits_of


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Return a file with programs for batches of 3 and 5."""
    sections = {f"batch{batch}": step_program(batch) for batch in (3, 5)}
    return write(tmp_path_factory.mktemp("models") / "model.facula", sections, {"weight": WEIGHT})


@pytest.mark.parametrize("batch", [3, 5])
def test_a_program_runs_and_is_saved(path, tmp_path, batch):
    """Check inputs, numbers, a random stream and changed tensors, and the same again from the saved file."""
    x = RNG.standard_normal((batch, 6)).astype("f4")
    gradient = RNG.standard_normal((4, 6)).astype("f4")
    weight, offset, file = WEIGHT.copy(), 128, path
    for number in range(3):
        with Model(file, batch) as model:
            assert list(model.inputs) == ["x", "gradient", "skip", "lr"]
            assert model.inputs["lr"] == (RATE if not number else 0.25)
            for skip in (0, 0, 1):
                model.inputs["x"][...], model.inputs["gradient"][...], model.inputs["skip"][...] = x, gradient, skip
                model.inputs["lr"][...] = 0.25
                model.run()
                assert model.outputs["y"].tobytes() == wanted(x, weight, 7, offset).tobytes()
                if not skip:
                    weight -= np.float32(0.25) * gradient
                offset += 640
            model.save(tmp_path / "saved.facula")
        file = tmp_path / "saved.facula"
        assert zipfile.ZipFile(file).testzip() is None
    assert path.stat().st_size == file.stat().st_size


def test_state_is_saved_for_other_batches(path, tmp_path):
    """Check that a file saved after runs with one batch has the numbers and random streams of all batches."""
    x = RNG.standard_normal((5, 6)).astype("f4")
    with Model(path, 3) as model:
        model.inputs["lr"][...], model.inputs["skip"][...] = 0.25, 1
        for _ in range(2):
            model.run()
        model.save(tmp_path / "saved.facula")
    with Model(tmp_path / "saved.facula", 5) as model:
        assert model.inputs["lr"] == 0.25
        model.inputs["x"][...] = x
        model.run()
        assert model.outputs["y"].tobytes() == wanted(x, WEIGHT, 7, 128 + 2 * 640).tobytes()


def test_zip64_files(path, tmp_path, monkeypatch):
    """Check the format of zips of 2 GB and more: here all numbers count as large."""
    with zipfile.ZipFile(path) as file:
        contents = {name: file.read(name) for name in file.namelist()}
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 10)
    with zipfile.ZipFile(tmp_path / "large.facula", "w") as file:
        for name, data in contents.items():
            with file.open(name, "w", force_zip64=True) as member:
                member.write(data)
    monkeypatch.undo()
    assert b"PK\x06\x06" in (tmp_path / "large.facula").read_bytes()
    with Model(tmp_path / "large.facula", 5) as model:
        model.run()
        model.save(tmp_path / "saved.facula")
    assert zipfile.ZipFile(tmp_path / "saved.facula").testzip() is None


def test_batches_are_selected_by_number(path):
    """Check that 0 selects the first batch, and that the error for an unknown batch contains its number."""
    with Model(path) as model:
        assert model.inputs["x"].shape == (3, 6)
    with pytest.raises(ValueError, match="it has no program for a batch of 4; save one in Python"):
        Model(path, 4)


def test_errors_of_kernels_name_the_operator(tmp_path):
    """Check that the message equals Python's."""
    array, index, out = np.zeros((3, 5), "f4"), np.zeros(7, "i8"), np.zeros((7, 5), "f4")
    tables = Tables()
    blocks = [(tables.add("blocks", OWN, 0, one.nbytes), one.nbytes) for one in (array, index, out)]
    add_launch(tables, plan_for("take", (array, index), (out,), (0,)), [out.size, *blocks])
    add_array(tables, 0, "index", index, blocks[1][0])
    with Model(write(tmp_path / "m.facula", {"one": tables.bytes(0)})) as model:
        model.inputs["index"][2] = 9
        with pytest.raises(ValueError, match="take: index 9 at position 2 is out of range for a dimension of size 3"):
            model.run()
        model.inputs["index"][2] = 1
        model.run()


def test_loops_run_until_their_condition_is_zero(tmp_path):
    """Check zero and more iterations, and that each run starts from the beginning."""
    with Model(write(tmp_path / "m.facula", {"one": loop_program().bytes(0)})) as model:
        for count in (0, 1, 5, 0, 2):
            model.inputs["x"][...], model.inputs["count"][...], model.inputs["step"][...] = 1.5, count, 1
            model.run()
            assert model.outputs["y"] == 1.5 * (1 + count)


def test_programs_of_version_1_still_run(path, tmp_path):
    """Check this because their only jumps are those that skip rows."""
    data, members = sections_of(path)
    data = bytearray(data)
    for member in members[:2]:
        struct.pack_into("<q", data, member[1] + 8, 1)
        with_checksum(data, member)
    older = tmp_path / "older.facula"
    older.write_bytes(data)
    test_a_program_runs_and_is_saved(older, tmp_path, 3)


JUMPS = {  # launches 1 and 4 jump: the table, row and column of the changed number, and the new number
    "after the end": ("launches", 1, 5, 4),
    "far after the end": ("launches", 1, 5, (1 << 63) - 1),
    "before the first": ("launches", 4, 5, -6),
    "far before the first": ("launches", 4, 5, -(1 << 63)),
    "of another kind": ("launches", 1, 0, -3),
    "without a condition": ("launches", 1, 3, 0),
    "by a missing argument": ("launches", 1, 2, 1 << 40),
    "by a number": ("arguments", -1, 0, NUMBER),
    "by part of a float32": ("arguments", -1, 3, 3),
    "by memory out of range": ("arguments", -1, 2, 4),
    "by memory after its block": ("arguments", -1, 1, 1),
}


@pytest.mark.parametrize("name", JUMPS)
def test_jumps_are_checked_on_loading(name, tmp_path):
    """Check the targets of jumps and the values that they test."""
    table, row, place, number = JUMPS[name]
    tables = loop_program()
    rows = tables.rows[table]
    rows[row] = (*rows[row][:place], number, *rows[row][place + 1 :])
    message = "arguments" if table == "arguments" and place in (1, 2) else "launches"
    with pytest.raises(ValueError, match=f"its program is damaged: {message}"):
        Model(write(tmp_path / "m.facula", {"one": tables.bytes(0)}))


def number_over(place):
    """Return a product with a number written to row `place` of `arguments`."""
    tables = Tables()
    x, y = np.zeros((5, 6), "f4"), np.zeros((5, 4), "f4")
    blocks = [(tables.add("blocks", OWN, 0, one.nbytes), one.nbytes) for one in (x, WEIGHT, y)]
    add_launch(tables, plan_for("linear", (x, WEIGHT), (y,)), [y.size, *blocks, None])
    tables.add("generators", 0, 0, 0, 0, 0, 0)
    if place is not None:
        tables.add("numbers", tables.name("eps"), bits_of(1e-8), tables.add("uses", place, 0, bits_of(1.0)), 1)
    add_array(tables, 1, "y", y, blocks[2][0])
    return tables


def forged_roles():
    """Yield programs with an argument of two roles or overlapping tables, with the start of each message."""
    yield "numbers", number_over(4)  # the workspace
    yield "numbers", number_over(1)  # an address
    yield "numbers", number_over(5)  # no row
    tables = number_over(None)
    tables.rows["arguments"][4] = (CELL, 0, 0, 0)
    yield "launches", tables
    tables.rows["arguments"][4] = (ADDRESS, 0, 0, 0)
    yield "launches", tables
    tables = number_over(None)
    tables.rows["launches"] *= 2
    yield "launches", tables
    tables = number_over(None)
    tables.add("arguments", NUMBER, 0, 0, 0)
    yield "launches", tables
    tables = number_over(0)
    tables.rows["numbers"] *= 2
    yield "numbers", tables
    tables.rows["numbers"] = []
    yield "numbers", tables
    for place in (2, -1):
        tables = number_over(None)
        row = tables.rows["arrays"][0]
        tables.rows["blocks"][2] = (OWN, 0, 1 << 10)
        tables.rows["arrays"][0] = (*row[:-1], place)
        yield "inputs and outputs", tables


@pytest.mark.parametrize("number", range(len([*forged_roles()])))
def test_arguments_with_two_roles_are_refused(number, tmp_path):
    """Check that no number of the file can be used as an address, to which a run would write."""
    what, tables = [*forged_roles()][number]
    with pytest.raises(ValueError, match=f"its program is damaged: {what}"):
        Model(write(tmp_path / "m.facula", {"one": tables.bytes(0)}))


@pytest.mark.parametrize("table", ["numbers", "generators"])
def test_overlapping_tables_are_refused(table, path, tmp_path):
    """Check this because a run writes numbers and generators, which must not overwrite validated tables."""
    data, members = sections_of(path)
    damaged, start = bytearray(data), members[0][1]
    places = {name: start + HEADER + 16 * TABLES.index(name) for name in (table, "arguments")}
    damaged[places[table] : places[table] + 8] = damaged[places["arguments"] : places["arguments"] + 8]
    message = refusal(tmp_path, with_checksum(damaged, members[0]))
    assert f"its program is damaged: table {TABLES.index(table)}" in message


def sections_of(path):
    """Return each member's position: (name, start, bytes, positions of its checksum)."""
    data = path.read_bytes()
    found = []
    with zipfile.ZipFile(path) as file:
        entry = file.start_dir
        for info in file.infolist():
            start = info.header_offset + 30 + len(info.filename)
            found.append((info.filename, start, info.file_size, (info.header_offset + 14, entry + 16)))
            entry += 46 + len(info.filename)
    return data, found


def with_checksum(data, member):
    """Return the file with an updated checksum for a changed member."""
    _, start, length, places = member
    for place in places:
        struct.pack_into("<I", data, place, zlib.crc32(data[start : start + length]))
    return data


def refusal(tmp_path, data, batch=5):
    """Return the message for a damaged file, or "" if it loads."""
    file = tmp_path / "damaged.facula"
    file.write_bytes(data)
    try:
        with Model(file, batch) as model:
            assert model.inputs is not None
    except ValueError as error:
        assert str(error).startswith(str(file)[:200]), error
        return str(error)
    return ""


def test_damaged_files_are_refused(path, tmp_path):
    """Check every truncation, and every byte of the program and of tensors, which have checksums."""
    data, members = sections_of(path)
    for length in range(0, len(data), 61):
        assert refusal(tmp_path, data[:length]), length
    for name, start, length, _ in members:
        for place in range(start, start + length, 97):
            damaged = bytearray(data)
            damaged[place] ^= 1 << place % 8
            message = refusal(tmp_path, damaged)
            assert "its checksum is wrong: the file is damaged" in message or (name == "run/batch5.bin" and message), (
                name
            )


@pytest.mark.parametrize("batch", [5, 0], ids=["step", "loop"])
def test_random_changes_crash_nothing(path, tmp_path, batch):
    """Check random numbers with updated checksums: the file loads, or is refused with a message."""
    if not batch:
        path = write(tmp_path / "loop.facula", {"one": loop_program().bytes(0)}, {"weight": WEIGHT})
    data, members = sections_of(path)
    rng = np.random.default_rng(1)
    odd = [0, 1, -1, 7, 255, 1 << 20, 1 << 31, -(1 << 31), 1 << 46, 1 << 62, -(1 << 63), (1 << 63) - 1]
    seen = set()
    for _ in range(int(os.environ.get("FACULA_FUZZ", "600"))):
        damaged = bytearray(data)
        _, start, length, _ = member = members[rng.integers(len(members))]
        for _ in range(rng.integers(1, 4)):
            if rng.random() < 0.5:
                place = start + 8 * int(rng.integers(length // 8))
                struct.pack_into("<q", damaged, place, odd[rng.integers(len(odd))])
            else:
                damaged[start + int(rng.integers(length))] = rng.integers(256)
        seen.add(refusal(tmp_path, with_checksum(damaged, member), batch)[len(str(tmp_path)) + 17 :])
        damaged = bytearray(data)
        damaged[rng.integers(len(data))] = rng.integers(256)
        refusal(tmp_path, damaged, batch)
    assert len(seen) > 8, seen


WRONG = {  # the number written to a field of the header, and the message
    "expected a program of version 1 to 2; got version 3: save it again": (1, 3),
    "its program is cut off": (2, 5),
    "its plans are another release's; load it in Python, and save it again with run=True": (4, 5),
    "its program is damaged: table 3": (5 + 2 * 3, 1 << 40),
    "its program is none of facula's": (0, 5),
}


@pytest.mark.parametrize("message", WRONG)
def test_headers_are_checked(path, tmp_path, message):
    """Check the message for each error."""
    data, members = sections_of(path)
    damaged = bytearray(data)
    place, value = WRONG[message]
    struct.pack_into("<q", damaged, members[0][1] + 8 * place, value)
    assert message in refusal(tmp_path, with_checksum(damaged, members[0]))


def test_missing_kernels_and_tensors_are_named(tmp_path):
    """Check that the message names a missing kernel, struct or tensor."""
    x = np.zeros(4, "f4")
    for table, name, message in (
        ("kernels", "exp2000", "this release has no kernel exp2000"),
        ("parts", "facula_other", "this release has no plans facula_other"),
    ):
        tables = Tables()
        block = (tables.add("blocks", OWN, 0, x.nbytes), x.nbytes)
        add_launch(tables, plan_for("exp", (x,), (x,)), [x.size, block, block])
        tables.rows[table][0] = (tables.name(name), *tables.rows[table][0][1:])
        with pytest.raises(ValueError, match=message):
            Model(write(tmp_path / "m.facula", {"one": tables.bytes(0)}))
    data = step_program(3)
    with pytest.raises(ValueError, match=r"tensors.safetensors: it has no weight"):
        Model(write(tmp_path / "m.facula", {"one": data}, {"other": WEIGHT}))
    with pytest.raises(ValueError, match="expected 96 bytes of weight; got 48"):
        Model(write(tmp_path / "m.facula", {"one": data}, {"other": WEIGHT, "weight": WEIGHT[:2]}))
    twice = write(tmp_path / "m.facula", {"one": data}, {"weight": WEIGHT})
    with zipfile.ZipFile(twice, "a") as file, pytest.warns(UserWarning, match="Duplicate"):
        file.writestr("run/one.bin", data)
    with pytest.raises(ValueError, match=r"it has two members run/one.bin"):
        Model(twice)
    with pytest.raises(ValueError, match="it has no program to run"):
        Model(write(tmp_path / "m.facula", {}, {"weight": WEIGHT}))
    with pytest.raises(ValueError, match="No such file"):
        Model(tmp_path / "nowhere.facula")


def test_threads_run_models_of_their_own(path):
    """Check one model in each of several threads."""
    from threading import Thread

    x = RNG.standard_normal((5, 6)).astype("f4")
    results = {}

    def serve(number):
        with Model(path, 5) as model:
            model.inputs["x"][...] = x * number
            for _ in range(50):
                model.run()
            results[number] = model.outputs["y"].tobytes()

    threads = [Thread(target=serve, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(4):
        assert results[number] == wanted((x * number).astype("f4"), WEIGHT, 7, 128 + 49 * 640).tobytes()


def test_models_are_freed(path):
    """Check also that freeing NULL is allowed."""
    LIB.facula_model_free(None)
    with Model(path, 5) as model:
        model.run()
