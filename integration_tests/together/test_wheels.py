"""The built wheels: their tags and contents, and loading each instruction level of the kernels."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from email.parser import Parser

import pytest

HAVE_C = {"facula-storage", "facula-allocator", "facula-cpu", "facula-cuda", "facula-distributed",
          "facula-profiler"}  # fmt: skip
LEVELS = ("baseline", "avx2", "avx512", "avx512_bf16")
LIBRARY, PROGRAM = "facula_cpu/libfacula_kernels.1.so", "facula_cpu/facula-run"


def written(wheel, name):
    """Return a file of the wheel's .dist-info, such as WHEEL or METADATA, parsed as headers."""
    with zipfile.ZipFile(wheel) as archive:
        (path,) = (entry for entry in archive.namelist() if entry.partition("/")[2] == name and ".dist-info/" in entry)
        return Parser().parsestr(archive.read(path).decode())


def extensions(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return [name for name in archive.namelist() if name.endswith(".so")]


def test_the_tag_says_what_is_inside(wheels):
    """Check for abi3: later Python versions would refuse a limited-API wheel tagged cp311-cp311."""
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    for name, wheel in wheels.items():
        expected = f"cp311-abi3-{platform}" if name in HAVE_C else "py3-none-any"
        assert written(wheel, "WHEEL").get_all("Tag") == [expected], name
        assert wheel.stem.endswith(expected), name


def test_extensions_use_the_limited_api_alone(wheels):
    for name, wheel in wheels.items():
        found = extensions(wheel)
        assert bool(found) == (name in HAVE_C), (name, found)
        own = [extension for extension in found if extension != LIBRARY]
        assert all(extension.endswith(".abi3.so") for extension in own), found


def test_a_program_and_its_library_use_no_python(wheels, tmp_path):
    """Check that they are executable, find each other, and require only the C library."""
    with zipfile.ZipFile(wheels["facula-cpu"]) as archive:
        for name in (LIBRARY, PROGRAM):
            assert archive.getinfo(name).external_attr >> 16 & 0o111, name
            archive.extract(name, tmp_path)
            (tmp_path / name).chmod(0o755)
    needed = subprocess.run(["ldd", tmp_path / PROGRAM], capture_output=True, text=True, check=True).stdout
    assert "python" not in needed and str(tmp_path) in needed, needed
    done = subprocess.run([tmp_path / PROGRAM, "--where"], capture_output=True, text=True, env={}, timeout=600)
    assert done.stdout.strip() == str((tmp_path / PROGRAM).parent)


def test_wheels_hold_the_package_and_nothing_else(wheels):
    for name, wheel in wheels.items():
        module = name.replace("-", "_")
        with zipfile.ZipFile(wheel) as archive:
            tops = {entry.partition("/")[0] for entry in archive.namelist()}
            entries = set(archive.namelist())
        assert tops == {module, f"{module}-{written(wheel, 'METADATA')['Version']}.dist-info"}
        assert f"{module}/py.typed" in entries
        assert not [entry for entry in entries if entry.endswith((".o", ".pyc"))]


def test_wheels_are_small(wheels):
    """Check the sum of what `pip install facula` downloads; numpy and cffi are 20 MB."""
    sizes = {name: wheel.stat().st_size for name, wheel in wheels.items()}
    assert sum(sizes.values()) <= 12e6, sizes


def test_wheels_carry_their_licence_by_name(wheels):
    for name, wheel in wheels.items():
        assert written(wheel, "METADATA")["License-Expression"] == "BSD-3-Clause", name


def level_with(requested):
    """Return facula_cpu's level in a separate process with this level requested (None: no request)."""
    env = {key: value for key, value in os.environ.items() if key != "FACULA_CPU_LEVEL"}
    if requested is not None:
        env["FACULA_CPU_LEVEL"] = requested
    script = "import facula_cpu; print(facula_cpu.level())"
    return subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True)


@pytest.mark.parametrize("level", LEVELS)
def test_the_kernels_load_at_each_level(wheels, level):
    """Check that a supported level runs, and that the error for a higher one lists the available levels."""
    if "facula-cpu" not in wheels:
        pytest.skip("packages/cpu is not begun")
    best = level_with(None).stdout.strip()
    done = level_with(level)
    if best in LEVELS and LEVELS.index(level) <= LEVELS.index(best):
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == level
    else:
        assert done.returncode != 0
        assert level in done.stderr
