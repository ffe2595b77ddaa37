"""Compiled files of the installed packages: they run with glibc 2.28, and on every x86-64 processor."""

import importlib.util
import platform
import re
import subprocess
from pathlib import Path

import pytest

OLDEST = (2, 28)  # of manylinux_2_28
COMPILED = ("allocator", "cpu", "cuda", "distributed", "profiler", "storage")
# Encodings that came with AVX and BMI. With -march=native compilers use them everywhere, also to copy and to shift.
BEYOND_BASELINE = re.compile(r"v(?!er[rw]\b)\w+|andn|mulx|rorx|s[ah][lr]x")
pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="tests x86-64")


def compiled_files():
    """Return the extension modules, libraries and programs of the installed packages."""
    for package in COMPILED:
        folder = Path(importlib.util.find_spec(f"facula_{package}").origin).parent
        found = [path for path in folder.iterdir() if path.suffix == ".so" or path.name == "facula-run"]
        assert found, folder
        yield from found


def tool(*command):
    """Return the lines that a tool of binutils prints."""
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def versions_of_glibc(path):
    """Return the functions of glibc that a file uses, with the version of each."""
    found = re.findall(r" UND (\w+)@GLIBC_([\d.]+)", "\n".join(tool("readelf", "-W", "--dyn-syms", path)))
    assert found, f"{path}: uses no function of glibc"
    return {name: tuple(int(part) for part in version.split(".")) for name, version in found}


def beyond_baseline(path):
    """Return instructions that not every x86-64 processor has, in code that is compiled for all of them.

    An object begins with the name of its source. Files for several instruction sets are linked in the order of
    these: only the first object of a name is for all processors. GCC names clones of functions after their processors.
    """
    code, source, seen = [], None, set()
    for line in tool("readelf", "-W", "--syms", path):
        match line.split():
            case [_, _, _, "FILE", _, _, _, name]:
                source = None if name in seen or name.endswith(".bfloat16.c") else name
                seen.add(name)
            case [_, address, size, "FUNC", "LOCAL", _, _, name] if source and ".avx" not in name:
                code.append((int(address, 16), int(address, 16) + int(size, 0), source))
    assert len(code) > 5, f"{path}: has no symbols"
    code.sort(reverse=True)
    found, (start, end, source) = [], code.pop()
    for line in tool("objdump", "-d", "--no-show-raw-insn", path):
        address, tab, instruction = line.partition(":\t")
        if not tab:
            continue
        at = int(address, 16)
        while at >= end and code:
            start, end, source = code.pop()
        if start <= at < end and BEYOND_BASELINE.fullmatch(instruction.split()[0]):
            found.append(f"{path.name}, {source}: {instruction}")
    return found


def test_functions_of_glibc_are_in_its_oldest_version():
    """A function that is named here needs its older version: packages/cpu/csrc/runtime/older.c shows how."""
    younger = {
        f"{path.name}: {name} of glibc {'.'.join(map(str, version))}"
        for path in compiled_files()
        for name, version in versions_of_glibc(path).items()
        if version > OLDEST
    }
    assert not younger, sorted(younger)


def test_code_for_all_processors_is_for_all_processors():
    found = [one for path in compiled_files() for one in beyond_baseline(path)]
    assert not found, found[:20]


def test_instructions_and_versions_are_seen(tmp_path):
    (tmp_path / "some.c").write_text(
        "#include <math.h>\n#include <sys/stat.h>\n"
        + "".join(f"static __attribute__((noinline)) double f{i}(double x) {{ return x + {i}; }}\n" for i in range(8))
        + 'double of(double x) { struct stat s; return stat("/", &s) + hypot(x, 1)'
        + "".join(f" + f{i}(x)" for i in range(8))
        + "; }\n"
    )
    for flags, expected in ((("-march=x86-64-v3",), True), (("-march=x86-64",), False)):
        library = tmp_path / f"some{expected}.so"
        subprocess.run(
            ["gcc", "-O1", "-shared", "-fPIC", *flags, tmp_path / "some.c", "-o", library, "-lm"], check=True
        )
        found = beyond_baseline(library)
        assert bool(found) == expected, found
    assert {"stat", "hypot"} & versions_of_glibc(library).keys()
