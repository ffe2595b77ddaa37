"""Builds the kernels: csrc/*.c once for the plainest processor, csrc/simd/*.c once per instruction set.

setuptools has one set of flags per extension, so the objects are made here, each with its own,
and handed to the linker. There is no link-time optimisation: it would mix the instruction sets.
Which level runs is decided at run time, by baseline code. CFLAGS from the environment come first. With a folder in
FACULA_OBJECTS, objects are kept there, under a digest of all that they are made of, for builds in other places.
"""

import os
import platform
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from os import cpu_count
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext

CSRC = Path("csrc")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# No -ffast-math: linking with it sets flush-to-zero for the whole process, and NaN must mean something.
# Contraction is off so that vectorised loops and their remainders round alike, wherever threads split them.
COMMON = ["-std=gnu11", "-O3", "-g0", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off",
          "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-Wno-psabi", "-Wno-type-limits",
          "-Werror=implicit-function-declaration"]  # fmt: skip
X86_LEVELS = [
    ["-march=x86-64"],
    ["-march=x86-64-v3"],
    ["-march=x86-64-v4", "-mprefer-vector-width=512"],
]
LEVELS = X86_LEVELS if platform.machine() in ("x86_64", "AMD64") else [[]]
# Files that want other flags than the rest. Products of matrices need fused multiply-adds. Functions choose between
# values without branches: what GCC moves between the sides of a choice makes their loops longer, or no vectors at all.
WITHOUT_BRANCHES = ["-fno-thread-jumps", "-fno-tree-pre"]
SPECIAL = {
    "attention.c": ["-ffp-contract=fast"],
    "bessel.c": WITHOUT_BRANCHES,
    "matmul.c": ["-ffp-contract=fast"],
    "exponents.c": WITHOUT_BRANCHES,
    "floating.c": WITHOUT_BRANCHES,
    "gamma.c": WITHOUT_BRANCHES,
    "rounding.c": WITHOUT_BRANCHES,
    "special.c": WITHOUT_BRANCHES,
    "triangular_solve.c": ["-ffp-contract=fast", "-fcx-limited-range"],
    "trigonometric.c": WITHOUT_BRANCHES,
}


def made_of(path):
    """A file of CSRC and all that it includes, at any depth."""
    found, open_ones = set(), [path]
    while open_ones:
        one = open_ones.pop()
        if one not in found:
            found.add(one)
            places = [
                Path(os.path.normpath(at / name))
                for name in INCLUDE.findall(one.read_text())
                for at in (one.parent, CSRC)
            ]
            open_ones += [place for place in places if place.exists()]
    return sorted(found)


def out_of_date(target, source):
    """Whether anything that the object is made of, this file too, is newer, or there is no object."""
    if not target.exists():
        return True
    made = target.stat().st_mtime
    return any(path.stat().st_mtime > made for path in [*made_of(source), Path("setup.py")])


def digest_of(command, source):
    """What an object is kept under: the compiler, its command, and every file that goes into it."""
    digest = sha256(repr(command).encode())
    for path in made_of(source):
        digest.update(f"\0{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()


class BuildKernels(build_ext):
    """Compile every kernel file at its levels, then link the objects into the cffi module."""

    def build_extension(self, ext):
        """Objects that are newer than everything they include are kept."""
        jobs = [(source, 0) for source in sorted(CSRC.glob("*.c"))]
        jobs += [(source, level) for source in sorted((CSRC / "simd").glob("*.c")) for level in range(len(LEVELS))]

        store = os.environ.get("FACULA_OBJECTS")
        compiler = [*self.compiler.compiler_so]
        if store:
            compiler.append(subprocess.run([*compiler[:1], "-v"], stderr=subprocess.PIPE, check=True).stderr)

        def compile_one(job):
            source, level = job
            folder = Path(self.build_temp) / f"level{level}"
            target = folder / source.with_suffix(".o")
            if out_of_date(target, source):
                flags = [*COMMON, *SPECIAL.get(source.name, ()), *LEVELS[level], f"-DFACULA_LEVEL={level}"]
                kept = None
                if store:
                    kept = Path(store, digest_of([*compiler, *flags], source) + ".o")
                    if kept.exists():
                        target.parent.mkdir(parents=True, exist_ok=True)
                        shutil.copyfile(kept, target)
                        return str(target)
                self.compiler.compile([str(source)], str(folder), include_dirs=[str(CSRC)], extra_postargs=flags)
                if kept:
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    half = kept.with_suffix(f".{os.getpid()}")  # two builds at once: each moves a whole file there
                    shutil.copyfile(target, half)
                    os.replace(half, kept)
            return str(target)

        with ThreadPoolExecutor(cpu_count() or 1) as threads:
            ext.extra_objects = [*ext.extra_objects, *threads.map(compile_one, jobs)]
        ext.depends = [*ext.depends, *ext.extra_objects]
        super().build_extension(ext)


setup(cffi_modules=["build_kernels.py:ffi"], cmdclass={"build_ext": BuildKernels})
