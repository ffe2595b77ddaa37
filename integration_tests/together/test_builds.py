"""Builds: what they compile, and one sentence where a compiler or a requirement is missing, or Python has no GIL."""

import os
import shutil
import subprocess
import sys

import pytest

from facula_cpu import level

COMPILED = ("allocator", "cpu", "cuda", "distributed", "profiler", "storage")


def answer(folder, package, root, before, **environment):
    """Return the last line of a failing build of a package's C modules."""
    place = folder / package
    ignored = shutil.ignore_patterns("tests", "build", "__pycache__", "*.so*", "*.egg-info")
    shutil.copytree(root / "packages" / package, place, ignore=ignored)
    program = f"import runpy, sys; {before}; sys.argv = ['setup.py', '-q', 'build_ext']; runpy.run_path('setup.py')"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=place, env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert done.returncode
    return done.stderr.strip().splitlines()[-1]


def test_all_packages_with_c_code_are_tested(root):
    assert {path.parent.name for path in (root / "packages").glob("*/setup.py")} == {*COMPILED}


@pytest.mark.parametrize("package", COMPILED)
def test_without_a_compiler(tmp_path, root, package):
    said = answer(tmp_path, package, root, "pass", CC="no-such-gcc -O2", FACULA_OBJECTS="")
    assert said == f"error: facula-{package} is compiled from C: install gcc ('no-such-gcc' is not found)"


@pytest.mark.parametrize("package", ["allocator", "cpu", "cuda", "distributed"])
def test_without_what_the_build_requires(tmp_path, root, package):
    """Check pip's --no-build-isolation, where setuptools would omit the modules that cffi builds."""
    said = answer(tmp_path, package, root, "sys.modules['cffi'] = None")
    assert said == f'facula-{package} is built with cffi: first run pip install cffi "setuptools>=77"'


@pytest.mark.parametrize("package", COMPILED)
def test_with_free_threaded_python(tmp_path, root, package):
    before = "import sysconfig; sysconfig.get_config_var = lambda name, found=sysconfig.get_config_var: "
    said = answer(tmp_path, package, root, f"{before}name == 'Py_GIL_DISABLED' or found(name)")
    assert said == f"facula-{package} is not available for free-threaded Python: use a Python with the GIL"


def levels(root, wish):
    """Return the finished process that prints the levels which a build of the kernels compiles."""
    program = """import runpy, setuptools
setuptools.setup = lambda **options: None
print(sorted(runpy.run_path("setup.py")["chosen_levels"]()))"""
    environment = {**os.environ, "FACULA_CPU_LEVELS": wish}
    place = root / "packages" / "cpu"
    return subprocess.run([sys.executable, "-c", program], cwd=place, env=environment, capture_output=True, text=True)


def test_levels_of_a_native_build(root):
    best = ["baseline", "avx2", "avx512", "avx512_bf16"].index(level())
    assert levels(root, "native").stdout == f"{sorted({0, best, min(best, 2)})}\n"
    assert levels(root, "all").stdout in ("[0]\n", "[0, 1, 2, 3]\n")
    assert "FACULA_CPU_LEVELS: expected all or native; got 'avx2'" in levels(root, "avx2").stderr
