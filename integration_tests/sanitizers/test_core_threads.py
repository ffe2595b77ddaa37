"""The caching allocator's accounting under concurrent push and take, with each sanitizer, without Python."""

import os
import subprocess
from pathlib import Path

import pytest

CSRC = Path(__file__).parents[2] / "packages" / "allocator" / "csrc"
PROGRAM = Path(__file__).with_name("core_stress.c")
SOURCES = [str(CSRC / f"{name}.c") for name in ("core", "expandable", "kept", "segments", "tree")]


def build_and_run(folder, program, sanitizer):
    # The session's own sanitizer must not be loaded into a compiler or a program built with another one.
    env = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    flags = ["-std=gnu11", "-O1", "-g", f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all", "-pthread"]
    target = folder / "stress"
    subprocess.run(["gcc", *flags, f"-I{CSRC}", str(program), *SOURCES, "-o", str(target)], env=env, check=True)
    # Without address randomization: older thread sanitizers do not support the address ranges of newer kernels.
    command = ["setarch", "-R", str(target)] if sanitizer == "thread" else [str(target)]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("sanitizer", ["thread", "address,undefined"])
def test_the_books_under_threads(tmp_path, sanitizer):
    done = build_and_run(tmp_path, PROGRAM, sanitizer)
    assert done.returncode == 0 and not done.stderr, done.stderr


def test_a_race_would_be_seen(tmp_path):
    broken = PROGRAM.read_text().replace("pthread_mutex_lock(&lock)", "(void)lock")
    broken = broken.replace("pthread_mutex_unlock(&lock)", "(void)lock")
    (tmp_path / "broken.c").write_text(broken)
    done = build_and_run(tmp_path, tmp_path / "broken.c", "thread")
    assert done.returncode
