"""Builds the kernels: csrc/*/*.c once for the plainest processor, csrc/*/*.dispatch.c once per instruction set.

setuptools has one set of flags per extension, so the objects are made here, each with its own, and linked into a
library beside the cffi module. The program in csrc/program, which runs without Python, stands on the same library.
There is no link-time optimisation: it would mix the instruction sets. Which level runs is decided at run time, by
baseline code. CFLAGS from the environment come first. With a folder in FACULA_OBJECTS, objects are kept there, under a
digest of all that they are made of, for builds in other places.
"""

import os
import platform
import re
import shlex
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from os import cpu_count
from pathlib import Path

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CCompilerError

try:
    import cffi  # noqa: F401  # without it setuptools would leave out cffi_modules
except ImportError:
    raise SystemExit('facula-cpu is built with cffi: first run pip install cffi "setuptools>=77"') from None

CSRC = Path("csrc")
PROGRAM = CSRC / "program"
DECLARATIONS = sorted(CSRC.glob("*/*.cdef.h"), key=lambda path: path.name)
HEADERS = Path("src/facula_cpu/include")  # for programs in C
# The number is that of its interface; with a second dot in its name Python takes it for no module.
LIBRARY, RUNNER = "libfacula_kernels.1.so", "facula-run"
BESIDE = ["-Wl,-rpath,$ORIGIN"]  # where both find the library
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


def plans_digest():
    """A number for the declarations that files depend on: those of *.cdef.h, whatever their comments say."""
    texts = [re.sub(r"/\*.*?\*/|\s+", " ", path.read_text(), flags=re.DOTALL) for path in DECLARATIONS]
    return int.from_bytes(sha256("\0".join([" ".join(text.split()) for text in texts]).encode()).digest()[:7], "big")


SPECIAL = {
    "elementwise/bessel.dispatch.c": WITHOUT_BRANCHES,
    "elementwise/exponents.dispatch.c": WITHOUT_BRANCHES,
    "elementwise/floating.dispatch.c": WITHOUT_BRANCHES,
    "elementwise/gamma.dispatch.c": WITHOUT_BRANCHES,
    "elementwise/rounding.dispatch.c": WITHOUT_BRANCHES,
    "elementwise/special.dispatch.c": WITHOUT_BRANCHES,
    "elementwise/trigonometric.dispatch.c": WITHOUT_BRANCHES,
    "files/portable.c": [f"-DFACULA_PLANS={plans_digest()}"],
    "linalg/matmul.dispatch.c": ["-ffp-contract=fast"],
    "linalg/triangular_solve.dispatch.c": ["-ffp-contract=fast", "-fcx-limited-range"],
    "reductions/norm_p.dispatch.c": WITHOUT_BRANCHES,
    "sequences/attention.dispatch.c": ["-ffp-contract=fast"],
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
                for at in (one.parent, CSRC, HEADERS)
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
    """Compile every kernel file at its levels, link the library and the program, then the cffi module."""

    def build_extensions(self):
        """Say what to install where there is no compiler."""
        compiler = self.compiler.compiler_so[0]
        if shutil.which(compiler) is None:
            raise CCompilerError(f"facula-cpu is compiled from C: install gcc ({compiler!r} is not found)")
        super().build_extensions()

    def build_extension(self, ext):
        """Objects that are newer than everything they include are kept."""
        jobs = [
            (source, level)
            for source in sorted(CSRC.glob("*/*.c"))
            for level in range(len(LEVELS) if source.name.endswith(".dispatch.c") else 1)
        ]

        store = os.environ.get("FACULA_OBJECTS")
        compiler = [*self.compiler.compiler_so]
        if store:
            compiler.append(subprocess.run([*compiler[:1], "-v"], stderr=subprocess.PIPE, check=True).stderr)

        def compile_one(job):
            source, level = job
            folder = Path(self.build_temp) / f"level{level}"
            target = folder / source.with_suffix(".o")
            if out_of_date(target, source):
                special = SPECIAL.get(source.relative_to(CSRC).as_posix(), ())
                flags = [*COMMON, *special, *LEVELS[level], f"-DFACULA_LEVEL={level}"]
                kept = None
                if store:
                    kept = Path(store, digest_of([*compiler, *flags], source) + ".o")
                    if kept.exists():
                        target.parent.mkdir(parents=True, exist_ok=True)
                        shutil.copyfile(kept, target)
                        return str(target)
                self.compiler.compile(
                    [str(source)], str(folder), include_dirs=[str(CSRC), str(HEADERS)], extra_postargs=flags
                )
                if kept:
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    half = kept.with_suffix(f".{os.getpid()}")  # two builds at once: each moves a whole file there
                    shutil.copyfile(target, half)
                    os.replace(half, kept)
            return str(target)

        with ThreadPoolExecutor(cpu_count() or 1) as threads:
            objects = dict(zip(jobs, threads.map(compile_one, jobs), strict=True))
        own = [one for (source, _), one in objects.items() if source.parent == PROGRAM]
        self.link(
            [one for one in objects.values() if one not in own], own, Path(self.get_ext_fullpath(ext.name)).parent
        )
        ext.library_dirs = [str(self.folder)]
        ext.libraries = ["facula_kernels.1", *ext.libraries]
        ext.extra_link_args = [*ext.extra_link_args, *BESIDE]
        ext.depends = [*ext.depends, *objects.values()]
        super().build_extension(ext)

    def link(self, kernels, program, folder):
        """The library, and the program that stands on it, into the package's folder."""
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        flags = shlex.split(os.environ.get("CFLAGS", ""))  # a sanitizer's, for instance
        libraries = ["m", "pthread"]
        self.compiler.link_shared_object(
            kernels, str(folder / LIBRARY), libraries=libraries, extra_postargs=[f"-Wl,-soname,{LIBRARY}", *flags]
        )
        self.compiler.link_executable(
            program, str(folder / RUNNER), libraries=["facula_kernels.1", *libraries], library_dirs=[str(folder)],
            extra_postargs=[*BESIDE, *flags],
        )  # fmt: skip

    # What setuptools asks: where files beside the extension are built, and where development installs want them.
    def beside(self, path):
        """The library and the program, in the folder of a file."""
        return [str(Path(path).with_name(name)) for name in (LIBRARY, RUNNER)]

    def get_output_mapping(self):
        """Built files, and where they go in the source tree."""
        mapping = dict(super().get_output_mapping())
        for built, placed in [*mapping.items()]:
            mapping.update(zip(self.beside(built), self.beside(placed), strict=True))
        return mapping

    def get_outputs(self):
        """Built files."""
        outputs = super().get_outputs()
        return [*dict.fromkeys([*outputs, *self.beside(outputs[0])])]

    def copy_extensions_to_source(self):
        """Put the files beside the sources."""
        super().copy_extensions_to_source()
        package = self.get_finalized_command("build_py").get_package_dir("facula_cpu")
        for name in (LIBRARY, RUNNER):
            self.copy_file(str(self.folder / name), str(Path(package, name)))


setup(cffi_modules=["build_kernels.py:ffi"], cmdclass={"build_ext": BuildKernels})
