"""The C library on files: what a run does and keeps, what is refused and how, and the program facula-run."""

import os
import shutil
import struct
import subprocess
import zipfile
import zlib

import numpy as np
import pytest
from kernel_helpers import BACKEND, layout
from model_files import FOLDER, LIB, PROGRAM, Model, add_array, add_launch, write

from facula_cpu.extend import ADDRESS, CELL, OWN, TEMPORARY, TENSOR, Tables, bits_of

RNG = np.random.default_rng(3)
WEIGHT = RNG.standard_normal((4, 6)).astype("f4")
RATE = 0.5


def plan_of(operator, inputs, outputs, parameters=()):
    return BACKEND.plan(operator, tuple(map(layout, inputs)), tuple(map(layout, outputs)), parameters)


def step_program(batch):
    """y = dropout(x @ w.T, 0.5); where `skip` is 0, w -= lr * (1 + 0 * w), by sgd_step with a given gradient."""
    x, y, skip = np.zeros((batch, 6), "f4"), np.zeros((batch, 4), "f4"), np.zeros((), "f4")
    tables = Tables()
    tables.add("tensors", tables.name("weight"), WEIGHT.nbytes, 1)
    given, weight, gradient = [
        (tables.add("blocks", kind, 0, one.nbytes), one.nbytes)
        for kind, one in ((OWN, x), (TENSOR, WEIGHT), (OWN, WEIGHT))
    ]
    between, made = (
        (tables.add("blocks", TEMPORARY, 0, y.nbytes), y.nbytes),
        (tables.add("blocks", OWN, 0, y.nbytes), y.nbytes),
    )
    condition = tables.add("blocks", OWN, 0, 4), 4
    add_launch(tables, plan_of("linear", (x, WEIGHT), (y,)), [y.size, given, weight, between, None])
    first = len(tables.rows["arguments"])
    add_launch(tables, plan_of("dropout", (y,), (y,)), [y.size, between, made, 0.5, 0, 0])
    for place, source in ((4, 0), (5, 1)):
        tables.rows["arguments"][first + place] = (CELL, 64 * source, source, 0)
    tables.add("launches", -1, -1, tables.add("arguments", ADDRESS, 0, *condition), 1, -1, 1, tables.name("condition"))
    first = len(tables.rows["arguments"])
    plan = plan_of("sgd_step", (WEIGHT, WEIGHT), (), (2,))
    add_launch(tables, plan, [1, RATE, 0.0, 1.0, 0.0, 1.0, 0.0, weight, gradient])
    use = tables.add("uses", first + 1, bits_of(0.0), bits_of(1.0))
    tables.add("numbers", tables.name("lr"), bits_of(RATE), use, 1)
    tables.add("generators", 7, 128, 1, 640, 0, 0)
    for name, array, block in (("x", x, given), ("gradient", WEIGHT, gradient), ("skip", skip, condition)):
        add_array(tables, 0, name, array, block[0])
    add_array(tables, 1, "y", y, made[0])
    return tables.bytes(between[1])


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A file with programs for batches of 3 and 5."""
    sections = {f"batch{batch}": step_program(batch) for batch in (3, 5)}
    return write(tmp_path_factory.mktemp("models") / "model.facula", sections, {"weight": WEIGHT})


def wanted(x, weight, key, offset):
    """What the program makes of x."""
    y, made = np.zeros((len(x), 4), "f4"), np.zeros((len(x), 4), "f4")
    plan_of("linear", (x, weight), (y,)).launch(y.size, x.ctypes.data, weight.ctypes.data, y.ctypes.data)
    plan_of("dropout", (y,), (made,)).launch(y.size, y.ctypes.data, made.ctypes.data, 0.5, key, offset + 64)
    return made


@pytest.mark.parametrize("batch", [3, 5])
def test_a_program_runs_and_is_saved(path, tmp_path, batch):
    """Inputs, numbers, a stream of random numbers, tensors that change; and all of it again from the saved file."""
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


def test_batches_are_chosen(path):
    """0 is the first; one that was not saved is refused by its number."""
    with Model(path) as model:
        assert model.inputs["x"].shape == (3, 6)
    with pytest.raises(ValueError, match="it has no program for a batch of 4; save one in Python"):
        Model(path, 4)


def test_errors_of_kernels(tmp_path):
    """By the operator, as Python says them."""
    array, index, out = np.zeros((3, 5), "f4"), np.zeros(7, "i8"), np.zeros((7, 5), "f4")
    tables = Tables()
    blocks = [(tables.add("blocks", OWN, 0, one.nbytes), one.nbytes) for one in (array, index, out)]
    add_launch(tables, plan_of("take", (array, index), (out,), (0,)), [out.size, *blocks])
    add_array(tables, 0, "index", index, blocks[1][0])
    with Model(write(tmp_path / "m.facula", {"one": tables.bytes(0)})) as model:
        model.inputs["index"][2] = 9
        with pytest.raises(ValueError, match="take: index 9 at position 2 is out of range for a dimension of size 3"):
            model.run()
        model.inputs["index"][2] = 1
        model.run()


def sections_of(path):
    """Where each member lies: (name, start, bytes, places of its checksum)."""
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
    """The file with a right checksum for a member that was changed."""
    _, start, length, places = member
    for place in places:
        struct.pack_into("<I", data, place, zlib.crc32(data[start : start + length]))
    return data


def refusal(tmp_path, data):
    """The message for a damaged file; "" where it is loaded all the same."""
    file = tmp_path / "damaged.facula"
    file.write_bytes(data)
    try:
        with Model(file, 5) as model:
            assert model.inputs is not None
    except ValueError as error:
        assert str(error).startswith(str(file)[:200]), error
        return str(error)
    return ""


def test_damaged_files_are_refused(path, tmp_path):
    """Every cut, and every byte of the program and of tensors, which checksums guard."""
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


def test_changed_files_crash_nothing(path, tmp_path):
    """Numbers put anywhere, with the checksum made right: loaded, or refused with a message."""
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
        seen.add(refusal(tmp_path, with_checksum(damaged, member))[len(str(tmp_path)) + 17 :])
        damaged = bytearray(data)
        damaged[rng.integers(len(data))] = rng.integers(256)
        refusal(tmp_path, damaged)
    assert len(seen) > 8, seen


WRONG = {  # what is put at which number of the header, and what is said
    "expected a program of version 1; got version 2: save it again": (1, 2),
    "its program is cut off": (2, 5),
    "its plans are another release's; load it in Python, and save it again with run=True": (4, 5),
    "its program is damaged: table 3": (5 + 2 * 3, 1 << 40),
    "its program is none of facula's": (0, 5),
}


@pytest.mark.parametrize("message", WRONG)
def test_headers_are_checked(path, tmp_path, message):
    """What is wrong is said."""
    data, members = sections_of(path)
    damaged = bytearray(data)
    place, value = WRONG[message]
    struct.pack_into("<q", damaged, members[0][1] + 8 * place, value)
    assert message in refusal(tmp_path, with_checksum(damaged, members[0]))


def test_what_a_release_does_not_have(tmp_path):
    """Kernels, structs and tensors by name."""
    x = np.zeros(4, "f4")
    for table, name, message in (
        ("kernels", "exp2000", "this release has no kernel exp2000"),
        ("parts", "facula_other", "this release has no plans facula_other"),
    ):
        tables = Tables()
        block = (tables.add("blocks", OWN, 0, x.nbytes), x.nbytes)
        add_launch(tables, plan_of("exp", (x,), (x,)), [x.size, block, block])
        tables.rows[table][0] = (tables.name(name), *tables.rows[table][0][1:])
        with pytest.raises(ValueError, match=message):
            Model(write(tmp_path / "m.facula", {"one": tables.bytes(0)}))
    data = step_program(3)
    with pytest.raises(ValueError, match=r"tensors.safetensors: it has no weight"):
        Model(write(tmp_path / "m.facula", {"one": data}, {"other": WEIGHT}))
    with pytest.raises(ValueError, match="expected 96 bytes of weight; got 48"):
        Model(write(tmp_path / "m.facula", {"one": data}, {"other": WEIGHT, "weight": WEIGHT[:2]}))
    with pytest.raises(ValueError, match="it has no program to run"):
        Model(write(tmp_path / "m.facula", {}, {"weight": WEIGHT}))
    with pytest.raises(ValueError, match="No such file"):
        Model(tmp_path / "nowhere.facula")


# ---------------------------------------------------------------------------------------------------------- the program
def run(*arguments, **environment):
    return subprocess.run(
        [PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=60, env={**os.environ, **environment}
    )


def saved(folder, **arrays):
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    return [part for name in arrays for part in ("--input", folder / f"{name}.npy")]


def test_the_program(path, tmp_path):
    """Arrays from files to a file; a step each; numbers; the model afterwards."""
    x, gradients = RNG.standard_normal((5, 6)).astype("f4"), RNG.standard_normal((4, 4, 6)).astype("f4")
    given = saved(tmp_path, x=x, gradient=gradients, skip=np.zeros((), "f4"))
    outputs = ["--output", tmp_path / "y.npy", "--save", tmp_path / "after.facula"]
    done = run(path, *given, *outputs, "--steps", 4, "--set", "lr=0.125", "--time")
    assert not done.returncode, done.stderr
    assert done.stdout.startswith("loaded in ")
    weight = WEIGHT.copy()
    for gradient in gradients[:3]:
        weight -= np.float32(0.125) * gradient
    assert np.load(tmp_path / "y.npy").tobytes() == wanted(x, weight, 7, 128 + 3 * 640).tobytes()
    with Model(tmp_path / "after.facula", 5) as model:
        assert model.inputs["lr"] == 0.125
    done = run(
        path, *saved(tmp_path, x=np.stack([x, x, x])), *given[2:], "--steps", 3
    )  # 3 steps of 5, not a batch of 3
    assert not done.returncode, done.stderr
    listed = run(path, "--list").stdout.splitlines()
    assert listed == ["input x: float32 (3, 6)", "input gradient: float32 (4, 6)", "input skip: float32 ()",
                      "number lr: float64 () = 0.5", "output y: float32 (3, 4)"]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "lr=fast"], "--set: expected name=number; got lr=fast"),
        (["--set", "momentum=1"], "--set: the program has no number momentum; --list says what it has"),
        (["--steps", "0"], "expected --steps to be a number above 0; got 0"),
        (["--faster", "1"], "unknown option --faster; see --help"),
        (["--batch", "9"], "it has no program for a batch of 9"),
        (["--output"], "expected something behind --output; see --help"),
    ],
)
def test_wrong_options(path, tmp_path, options, message):
    """Said, with what would be right."""
    given = saved(tmp_path, x=np.zeros((5, 6), "f4"), gradient=WEIGHT, skip=np.zeros((), "f4"))
    done = run(path, *given, *options)
    assert done.returncode == 1
    assert message in done.stderr


def test_wrong_arrays(path, tmp_path):
    """Shapes, dtypes, order, and files that are no arrays."""
    skip = saved(tmp_path, gradient=WEIGHT, skip=np.zeros((), "f4"))
    for array, message in (
        (np.zeros((5, 7), "f4"), "input x: expected float32 (5, 6); got float32 (5, 7)"),
        (np.zeros((5, 6), "f8"), "input x: expected float32 (5, 6); got float64 (5, 6)"),
        (np.zeros((5, 6), "f4", order="F"), "expected an array in C order"),
        (np.zeros((5, 6), ">f4"), "expected a dtype of facula's, little-endian; got '>f4'"),
        (np.zeros((5, 6), "M8[s]"), "expected a dtype of facula's"),
    ):
        done = run(path, *saved(tmp_path, x=array), *skip)
        assert done.returncode == 1
        assert message in done.stderr
    whole = (tmp_path / "x.npy").read_bytes()
    for length in (0, 7, 60, 100, len(whole) - 1):
        (tmp_path / "x.npy").write_bytes(whole[:length])
        assert run(path, "--input", tmp_path / "x.npy", *skip).returncode == 1
    assert "expected 3 inputs" in run(path, *saved(tmp_path, x=np.zeros((5, 6), "f4"))).stderr
    wrong = run(path, "--list", FACULA_CPU_LEVEL="mmx")
    assert "FACULA_CPU_LEVEL: expected a level of this processor, at most " in wrong.stderr
    assert "got mmx" in wrong.stderr


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16", "V2"])
def test_array_files(tmp_path, version, dtype):
    """Each version and dtype, there and back; V2 is how bfloat16 is kept."""
    codes = dict(zip("? u1 i1 i2 i4 i8 f2 V2 f4 f8 c8 c16".split(), range(1, 13), strict=True))
    array = (
        RNG.integers(0, 2, (3, 1, 2)).astype("u2").view("V2")
        if dtype == "V2"
        else RNG.integers(0, 2, (3, 1, 2)).astype(dtype)
    )
    tables = Tables()
    block = tables.add("blocks", OWN, 0, array.nbytes)
    first = len(tables.rows["extents"])
    for number in (*array.shape, *array.strides):
        tables.add("extents", number)
    for output in (0, 1):
        tables.add("arrays", output, tables.name("x"), codes[dtype], 3, first, block, 0)
    path = write(tmp_path / "m.facula", {"one": tables.bytes(0)})
    with open(tmp_path / "x.npy", "wb") as file:
        np.lib.format.write_array(file, array, version)
    done = run(path, "--input", tmp_path / "x.npy", "--output", tmp_path / "y.npy")
    assert not done.returncode, done.stderr
    back = np.load(tmp_path / "y.npy")
    assert back.dtype == array.dtype
    assert back.tobytes() == array.tobytes()


SERVER = """
#include <facula_run.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    char error[FACULA_ERROR];
    struct facula_model *model = facula_model_load(argv[argc - 1], 5, error);
    int64_t count;
    if (!model || facula_model_run(model, error))
        return fprintf(stderr, "%s\\n", error), 1;
    const struct facula_array *y = facula_model_outputs(model, &count);
    printf("%s %d %g\\n", y->name, (int)count, (double)((float *)y->data)[0]);
    facula_model_free(model);
    return 0;
}
"""


@pytest.mark.unsanitized
def test_a_program_of_ones_own(path, tmp_path):
    """Compiled by one line, and run from a folder with the library alone: no Python is near."""
    (tmp_path / "serve.c").write_text(SERVER)
    folder = run("--where").stdout.strip()
    assert folder == str(FOLDER)
    line = f"gcc serve.c -o serve -I {folder}/include -L {folder} -lfacula_kernels -Wl,-rpath,$ORIGIN -Wall -Werror"
    subprocess.run(line.split(), cwd=tmp_path, check=True, timeout=60)
    shutil.copy(FOLDER / "libfacula_kernels.so", tmp_path)
    done = subprocess.run([tmp_path / "serve", path], capture_output=True, text=True, timeout=60, env={})
    assert (done.returncode, done.stdout) == (0, "y 1 0\n"), done.stderr
    needed = subprocess.run(["ldd", tmp_path / "serve"], capture_output=True, text=True, timeout=60).stdout
    assert "python" not in needed


def test_models_of_several_threads(path):
    """Each with a model of its own."""
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


def test_nothing_is_left(path):
    """Freeing nothing is allowed."""
    LIB.facula_model_free(None)
    with Model(path, 5) as model:
        model.run()
