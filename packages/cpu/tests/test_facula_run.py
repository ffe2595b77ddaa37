"""The program facula-run, and a C program that uses the library, on files."""

import os
import shutil
import signal
import subprocess

import numpy as np
import pytest
from model_files import FOLDER, PROGRAM, RNG, WEIGHT, Model, loop_program, step_program, wanted, write

from facula_cpu.extend import OWN, Tables


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Return a file with programs for batches of 3 and 5."""
    sections = {f"batch{batch}": step_program(batch) for batch in (3, 5)}
    return write(tmp_path_factory.mktemp("models") / "model.facula", sections, {"weight": WEIGHT})


def run(*arguments, **environment):
    return subprocess.run(
        [PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=600, env={**os.environ, **environment}
    )


def saved(folder, **arrays):
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    return [part for name in arrays for part in ("--input", folder / f"{name}.npy")]


def test_the_program_runs_steps_and_saves(path, tmp_path):
    """Check inputs from files, output to a file, one gradient per step, numbers, and the saved model."""
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
    stacked = saved(tmp_path, x=np.stack([x, x, x]))  # 3 steps of 5, not a batch of 3
    several = [*stacked, *saved(tmp_path, gradient=gradients[:3]), *given[4:]]
    for steps, times in ([], 3), (["--steps", 2], 2), (["--steps", 4], 4):
        done = run(path, *several, *steps, "--time")
        assert f"median of {times} steps" in done.stdout, done.stderr
    done = run(path, *stacked, *saved(tmp_path, gradient=gradients), *given[4:])
    assert "--input: expected equal numbers of steps; got 3 for x and 4 for gradient" in done.stderr
    listed = run(path, "--list").stdout.splitlines()
    assert listed == ["input x: float32 (3, 6)", "input gradient: float32 (4, 6)", "input skip: float32 ()",
                      "number lr: float64 () = 0.5", "output y: float32 (3, 4)"]  # fmt: skip


def test_an_endless_loop_ends_with_ctrl_c(tmp_path):
    """Check that the default action of SIGINT ends the program."""
    path = write(tmp_path / "m.facula", {"one": loop_program().bytes(0)})
    given = saved(tmp_path, x=np.ones((), "f4"), count=np.ones((), "f4"), step=np.zeros((), "f4"))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs of a shell ignore it
    try:
        running = subprocess.Popen([PROGRAM, *map(str, [path, *given])])
        with pytest.raises(subprocess.TimeoutExpired):
            running.wait(0.3)
        running.send_signal(signal.SIGINT)
        assert running.wait(600) == -signal.SIGINT
    finally:
        running.kill()
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "lr=fast"], "--set: expected NAME=X with a finite number X; got lr=fast"),
        (["--set", "momentum=1"], "--set: the program has no number momentum; see --list"),
        (["--steps", "0"], "--steps: expected a positive integer; got 0"),
        (["--faster", "1"], "unknown option --faster; see --help"),
        (["--batch", "9"], "it has no program for a batch of 9"),
        (["--threads", "257"], "--threads: expected at most 256; got 257"),
        (["--output"], "--output: expected a value; see --help"),
        (["--output", "y.npy"] * 2, "--output: expected at most 1; got 2; see --list"),
        (["--output", "y.npy"] * 65, "--output: expected at most 64; got more"),
        (["--every-step"], "--every-step: expected an --output; see --help"),
        (["two.facula"], "expected one model; got "),
        (["--version"], "unknown option --version; see --help"),
        (["--set", "lr=nan"], "--set: expected NAME=X with a finite number X; got lr=nan"),
    ],
)
def test_wrong_options_are_refused(path, tmp_path, options, message):
    """Check that the error names the valid options."""
    given = saved(tmp_path, x=np.zeros((5, 6), "f4"), gradient=WEIGHT, skip=np.zeros((), "f4"))
    done = run(path, *given, *options)
    assert done.returncode == 1
    assert message in done.stderr


def test_help(path):
    """Check `--help` at any position, and the exit status 1 if the output cannot be written."""
    assert run("--help").stdout == run(path, "--steps", 2, "-h").stdout != ""
    with open("/dev/full", "w") as full:
        assert subprocess.run([PROGRAM, path, "--list"], stdout=full, stderr=subprocess.PIPE).returncode == 1


def test_saving_over_existing_files(path, tmp_path):
    """Check that links and modes are kept and that special files are not replaced."""
    given = saved(tmp_path, x=np.zeros((5, 6), "f4"), gradient=WEIGHT, skip=np.zeros((), "f4"))
    old, link = tmp_path / "old.facula", tmp_path / "link"
    old.write_bytes(b"old")
    old.chmod(0o640)
    link.symlink_to(old.name)
    assert not run(path, *given, "--save", link).returncode
    assert link.is_symlink() and old.stat().st_mode & 0o777 == 0o640 and old.stat().st_size == path.stat().st_size
    old.chmod(0o600)
    assert not run(old, *given, "--save", tmp_path / "new.facula").returncode
    assert (tmp_path / "new.facula").stat().st_mode & 0o777 == 0o600
    os.mkfifo(tmp_path / "pipe")
    for name, message in (("pipe", "expected a regular file to replace"), (".", "this is a directory")):
        before = os.stat(tmp_path / name)
        done = run(path, *given, "--save", tmp_path / name)
        assert done.returncode == 1 and message in done.stderr
        assert os.stat(tmp_path / name)[:2] == before[:2]  # mode and inode


def test_wrong_arrays_are_refused(path, tmp_path):
    """Check wrong shapes, dtypes and orders, and files that contain no array."""
    skip = saved(tmp_path, gradient=WEIGHT, skip=np.zeros((), "f4"))
    for array, message in (
        (np.zeros((5, 7), "f4"), "/x.npy: expected float32 (5, 6); got float32 (5, 7)"),
        (np.zeros((5, 6), "f8"), f"--input x={tmp_path}/x.npy: expected float32 (5, 6); got float64 (5, 6)"),
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
    one = saved(tmp_path, x=np.zeros((5, 6), "f4"))
    for given, count in (one, 1), ([*one, *skip, *one], 4):
        message = f"--input: expected 3 files (x, gradient, skip); got {count}; see --list"
        assert message in run(path, *given).stderr
    wrong = run(path, "--list", FACULA_CPU_LEVEL="mmx")
    assert "FACULA_CPU_LEVEL: expected a level of this processor, at most " in wrong.stderr
    assert "got mmx" in wrong.stderr
    wrong = run(path, "--list", FACULA_NUM_THREADS="two")
    assert "FACULA_NUM_THREADS: expected a number from 1 to 256; got two" in wrong.stderr


@pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
@pytest.mark.parametrize("dtype", ["?", "u1", "i1", "i2", "i4", "i8", "f2", "f4", "f8", "c8", "c16", "V2"])
def test_array_files_round_trip(tmp_path, version, dtype):
    """Check each version and dtype; bfloat16 is stored as V2."""
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
def test_a_c_program_uses_the_library(path, tmp_path):
    """Check a program compiled by one command and run from a folder that contains only the library, without Python."""
    (tmp_path / "serve.c").write_text(SERVER)
    folder = run("--where").stdout.strip()
    assert folder == str(FOLDER)
    line = f"gcc serve.c -o serve -I {folder}/include -L {folder} -lfacula_kernels.1 -Wl,-rpath,$ORIGIN -Wall -Werror"
    subprocess.run(line.split(), cwd=tmp_path, check=True, timeout=600)
    shutil.copy(FOLDER / "libfacula_kernels.1.so", tmp_path)
    done = subprocess.run([tmp_path / "serve", path], capture_output=True, text=True, timeout=600, env={})
    assert (done.returncode, done.stdout) == (0, "y 1 0\n"), done.stderr
    needed = subprocess.run(["ldd", tmp_path / "serve"], capture_output=True, text=True, timeout=600).stdout
    assert "python" not in needed
