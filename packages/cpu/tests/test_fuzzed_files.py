"""Files with changed numbers in one section are refused on loading, or run within their own memory.

FACULA_FUZZ sets the number of files for each section. `nox -s asan` also builds the C program that makes the files
with AddressSanitizer.
"""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from forged import NAMES, program
from model_files import FOLDER, WEIGHT, loop_program, step_program, write

from facula_cpu._tables import TABLES

FILES = int(os.environ.get("FACULA_FUZZ", "300"))
SECTIONS = [*TABLES, "header", "tensors.safetensors", "directory"]
SEED = 1


@pytest.fixture(scope="module")
def fuzz(tmp_path_factory):
    """Return the program `model_fuzz.c` and its seed files."""
    folder = tmp_path_factory.mktemp("fuzz")
    flags = shlex.split(os.environ.get("FACULA_SANITIZE", ""))
    source, library = Path(__file__).with_name("model_fuzz.c"), ["-L", FOLDER, "-lfacula_kernels.1"]
    line = ["gcc", "-O1", "-Wall", "-Werror", *flags, source, "-o", folder / "fuzz", "-I", FOLDER / "include", *library]
    subprocess.run([*map(str, line), f"-Wl,-rpath,{FOLDER}"], check=True, timeout=600)
    files = [
        write(folder / f"{number}.facula", {"one": program(name)[0].bytes(0)}) for number, name in enumerate(NAMES)
    ]
    files.append(write(folder / "loop.facula", {"one": loop_program().bytes(0)}, {"weight": WEIGHT}))
    files += [
        write(folder / f"step{batch}.facula", {"one": step_program(batch)}, {"weight": WEIGHT})
        for batch in range(3, 13)
    ]
    return folder / "fuzz", files


@pytest.mark.parametrize("section", range(len(SECTIONS)), ids=SECTIONS)
def test_changed_sections_crash_nothing(section, fuzz):
    """Check also that some files are refused and some run, which shows that checksums were updated."""
    command, files = fuzz
    line = [command, section, FILES, SEED, *files]
    environment = {**os.environ, "FACULA_NUM_THREADS": "1"}  # one process is forked for each run that takes too long
    done = subprocess.run([*map(str, line)], capture_output=True, text=True, env=environment)
    assert not done.returncode, done.stdout + done.stderr
    found = re.search(r"(\d+) files: (\d+) refused, (\d+) failed, (\d+) ran, .* 0 crashed", done.stdout)
    assert found is not None and int(found[1]) == FILES
    assert int(found[2]) > 0 and int(found[4]) > 0
