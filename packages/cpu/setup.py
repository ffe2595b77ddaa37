"""Build script of the kernels: compiles csrc/*/*.c for the baseline CPU, csrc/*/*.dispatch.c once per instruction set,
and csrc/*/*.bfloat16.c for AVX-512 with products of bfloat16.

setuptools has one set of flags per extension, so this script compiles the objects, each with its own flags, and links
them into a library next to the cffi module. The program in csrc/program, which runs without Python, uses the same
library. There is no link-time optimization: it would mix the instruction sets. Baseline code selects the level at run
time. CFLAGS from the environment come first. If FACULA_OBJECTS names a folder, objects are cached there under a digest
of their inputs, for builds in other places.

FACULA_CPU_LEVELS=native compiles the baseline and the best level of this machine alone. The library then runs on other
machines too, many times slower: its baseline is compiled in little time.

`python setup.py build_ext --inplace --force --times` compiles every file and prints the CPU seconds of each.
"""

import os
import platform
import re
import shlex
import shutil
import subprocess
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from hashlib import sha256
from itertools import takewhile
from os import cpu_count
from pathlib import Path
from threading import Lock
from typing import ClassVar

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CCompilerError, CompileError

if sysconfig.get_config_var("Py_GIL_DISABLED"):
    raise SystemExit("facula-cpu is not available for free-threaded Python: use a Python with the GIL")

try:
    import cffi  # noqa: F401  # without it setuptools would leave out cffi_modules
except ImportError:
    raise SystemExit('facula-cpu is built with cffi: first run pip install cffi "setuptools>=77"') from None

CSRC = Path("csrc")
PROGRAM = CSRC / "program"
DECLARATIONS = sorted(CSRC.glob("*/*.cdef.h"), key=lambda path: path.name)
HEADERS = Path("src/facula_cpu/include")  # for programs in C
# The number is the version of the interface. With a second dot in its name, Python would not import it as a module.
LIBRARY, RUNNER = "libfacula_kernels.1.so", "facula-run"
# In glibc older than 2.34 threads are another library; the program needs it, and Python has loaded it already.
THREADS = ["-Wl,--push-state,--no-as-needed", "-l:libpthread.so.0", "-Wl,--pop-state"]
BESIDE = ["-Wl,-rpath,$ORIGIN"]  # the folder in which both find the library
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# No -ffast-math: linking with it sets flush-to-zero for the whole process, and NaN must be preserved. Contraction is
# off so that vectorized loops and their remainders round identically, wherever threads split them.
COMMON = ["-std=gnu11", "-O3", "-g0", "-fno-math-errno", "-fno-trapping-math", "-ffp-contract=off",
          "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-unknown-pragmas", "-Wno-psabi", "-Wno-type-limits",
          "-Werror=implicit-function-declaration",
          # Loops start on cache lines and half lines: their speed does not depend on the sizes of other files.
          "-falign-functions=64", "-falign-loops=32"]  # fmt: skip
# Small arrays are cleared and copied by vectors. The default is an instruction that takes tens of cycles to start.
SMALL_MOVES = ["-mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign",
               "-mmemcpy-strategy=vector_loop:512:noalign,libcall:-1:noalign"]  # fmt: skip
X86_LEVELS = [
    ["-march=x86-64", *SMALL_MOVES],
    ["-march=x86-64-v3", *SMALL_MOVES],
    ["-march=x86-64-v4", "-mprefer-vector-width=512", *SMALL_MOVES],
]
WISH = os.environ.get("FACULA_CPU_LEVELS", "all")
IS_X86 = platform.machine() in ("x86_64", "AMD64")
LEVELS = X86_LEVELS if IS_X86 else [[]]
# A further level with few kernels: the others would be the same as those of the level below.
BFLOAT16, BFLOAT16_FLAGS = len(LEVELS), [*X86_LEVELS[-1], "-mavx512bf16"]
# What the levels after the baseline need, in the names of /proc/cpuinfo.
FEATURES = [
    {"avx2", "fma", "f16c", "bmi1", "bmi2"},
    {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
    {"avx512_bf16"},
]
# The level of x86-64 processors without AVX2, which are old: with -O1 it compiles in half the time. Only the loops of
# extremes would be much slower.
BASELINE = ["-O1", "-ftree-vectorize", "-fvect-cost-model=dynamic", "-fstrict-aliasing", "-fschedule-insns2"]
UNUSED = ["-O0"]  # the baseline of a library that this machine alone will use, at a higher level
# Files with additional flags. Matrix products need fused multiply-adds. Functions select values without branches: when
# GCC moves code into the sides of a selection, loops get longer or are not vectorized.
WITHOUT_BRANCHES = ["-fno-thread-jumps", "-fno-tree-pre"]
# Loops of functions that compute several vectors at a time, with interleaved instructions: see loops/functions.inc.
INTERLEAVED = [*WITHOUT_BRANCHES, "-fschedule-insns", "-fsched-pressure"]


def plans_digest():
    """Return a digest of the declarations that files depend on: those of *.cdef.h, without comments."""
    texts = [re.sub(r"/\*.*?\*/|\s+", " ", path.read_text(), flags=re.DOTALL) for path in DECLARATIONS]
    return int.from_bytes(sha256("\0".join([" ".join(text.split()) for text in texts]).encode()).digest()[:7], "big")


SPECIAL = {
    "convolution/depthwise.dispatch.c": ["-ffp-contract=fast"],
    "convolution/shallow.dispatch.c": ["-ffp-contract=fast"],
    "convolution/winograd.dispatch.c": ["-ffp-contract=fast"],
    "elementwise/bessel.dispatch.c": INTERLEAVED,
    "elementwise/complex.dispatch.c": WITHOUT_BRANCHES,
    "elementwise/exponents.dispatch.c": INTERLEAVED,
    "elementwise/floating.dispatch.c": INTERLEAVED,
    "elementwise/gamma.dispatch.c": INTERLEAVED,
    "elementwise/neural.dispatch.c": INTERLEAVED,
    "elementwise/rounding.dispatch.c": INTERLEAVED,
    "elementwise/special.dispatch.c": INTERLEAVED,
    "elementwise/trigonometric.dispatch.c": INTERLEAVED,
    "files/portable.c": [f"-DFACULA_PLANS={plans_digest()}"],
    "linalg/elimination.dispatch.c": ["-fcx-limited-range"],
    "linalg/triangular_solve.dispatch.c": ["-ffp-contract=fast", "-fcx-limited-range"],
    # GCC 12 contracts complex products that it vectorizes as straight-line code, whatever -ffp-contract says.
    "lines/scan.dispatch.c": ["-fno-tree-slp-vectorize"],
    "products/matmul.bfloat16.c": ["-ffp-contract=fast"],
    "products/matmul.dispatch.c": ["-ffp-contract=fast"],
    "sequences/attention.bfloat16.c": ["-ffp-contract=fast"],
    "sequences/attention.dispatch.c": ["-ffp-contract=fast"],
    "spectral/fft.dispatch.c": ["-ffp-contract=fast"],
    "statistics/norm_p.dispatch.c": WITHOUT_BRANCHES,
}


def made_of(path):
    """Return a file of CSRC and all files that it includes, directly or indirectly."""
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


def flags_of(source, level):
    """Return the flags of a file at a level. Later flags prevail."""
    special = SPECIAL.get(source.relative_to(CSRC).as_posix(), ())
    baseline = ()
    if IS_X86 and level == 0 and source.name.endswith(".dispatch.c"):
        if WISH == "native" and max(chosen_levels()):
            baseline = UNUSED
        elif source.name != "extremes.dispatch.c":
            baseline = BASELINE
    return [*COMMON, *special, *baseline, *[*LEVELS, BFLOAT16_FLAGS][level], f"-DFACULA_LEVEL={level}"]


@lru_cache(None)
def has_instructions(source):
    """Return whether a file uses instructions by name, for which it includes a header of 50,000 lines."""
    return IS_X86 and any("<immintrin.h>" in path.read_text() for path in made_of(source))


@lru_cache(None)
def expanded(path):
    """Return the length of a file and of the templates that it includes, each as often as it is included."""
    templates = [CSRC / name for name in INCLUDE.findall(path.read_text()) if name.endswith(".inc")]
    return path.stat().st_size + sum(expanded(template) for template in templates)


@lru_cache(None)
def chosen_levels():
    """Return the levels to compile: all, or with FACULA_CPU_LEVELS=native the baseline and the best of this machine."""
    if WISH not in ("all", "native"):
        raise SystemExit(f"FACULA_CPU_LEVELS: expected all or native; got {WISH!r}")
    if not IS_X86 or WISH == "all":
        return set(range(len(LEVELS) + IS_X86))
    flags = set(re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)[1].split())
    best = len(list(takewhile(flags.issuperset, FEATURES)))
    return {0, best, min(best, BFLOAT16 - 1)}  # the level of bfloat16 has few kernels


def out_of_date(target, source):
    """Return whether the object is missing or older than an input, including this file."""
    if not target.exists():
        return True
    made = target.stat().st_mtime
    return any(path.stat().st_mtime > made for path in [*made_of(source), Path("setup.py")])


def digest_of(command, source):
    """Return an object's cache key: a digest of the compiler, its command, and every input file."""
    digest = sha256(repr(command).encode())
    for path in made_of(source):
        digest.update(f"\0{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def seconds_of(command):
    """Run a command, and return the CPU seconds that it took."""
    process = subprocess.Popen(command)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise CompileError(f"command {shlex.join(command)} failed with exit code {process.returncode}")
    return used.ru_utime + used.ru_stime


def table_of(seconds):
    """Return a table of the seconds of each file at each level, the longest first."""
    files = {}
    for (source, level), taken in seconds.items():
        files.setdefault(source.relative_to(CSRC).as_posix(), {})[level] = taken
    files["all files"] = {
        level: sum(times.get(level, 0) for times in files.values()) for level in range(len(LEVELS) + IS_X86)
    }
    rows = [(sum(times.values()), times, name) for name, times in files.items()]
    lines = [f"{'total':>7}" + "".join(f"{f'level {k}':>9}" for k in range(len(LEVELS) + IS_X86)) + "  CPU seconds"]
    for total, times, name in sorted(rows, key=lambda row: -row[0]):
        cells = [f"{times[k]:9.1f}" if k in times else " " * 9 for k in range(len(LEVELS) + IS_X86)]
        lines.append(f"{total:7.1f}{''.join(cells)}  {name}")
    return "\n".join(lines)


class BuildKernels(build_ext):
    """Compile every kernel file at its levels, link the library and the program, then the cffi module."""

    user_options: ClassVar = [*build_ext.user_options, ("times", None, "print the CPU seconds of compiling each file")]
    boolean_options: ClassVar = [*build_ext.boolean_options, "times"]

    def initialize_options(self):
        """Set the options' defaults."""
        super().initialize_options()
        self.times = False

    def build_extensions(self):
        """Build, or explain what to install if there is no compiler."""
        compiler = self.compiler.compiler_so[0]
        if shutil.which(compiler) is None:
            raise CCompilerError(f"facula-cpu is compiled from C: install gcc ({compiler!r} is not found)")
        super().build_extensions()

    def build_extension(self, ext):
        """Compile objects, except those that are newer than all their includes."""
        jobs = [
            (source, level)
            for source in sorted(CSRC.glob("*/*.c"))
            if not source.name.endswith(".bfloat16.c")
            for level in range(len(LEVELS) if source.name.endswith(".dispatch.c") else 1)
        ]
        if IS_X86:
            jobs += [(source, BFLOAT16) for source in sorted(CSRC.glob("*/*.bfloat16.c"))]
        chosen = chosen_levels()
        jobs = [(source, level) for source, level in jobs if level in chosen]

        store = os.environ.get("FACULA_OBJECTS")
        compiler = [*self.compiler.compiler_so]
        if store:
            compiler.append(subprocess.run([*compiler[:1], "-v"], stderr=subprocess.PIPE, check=True).stderr)

        seconds, headers, header_lock = {}, {}, Lock()

        def instructions_of(source, level):
            """Return options that include a precompiled header of all instructions. The file's flags must be usual."""
            flags = flags_of(CSRC / "usual.dispatch.c", level)
            if level == BFLOAT16 or not has_instructions(source) or flags_of(source, level) != flags:
                return []
            with header_lock:
                if level not in headers:
                    headers[level] = header = Path(self.build_temp) / f"level{level}" / "instructions.h"
                    header.write_text("#include <immintrin.h>\n")
                    command = [*self.compiler.compiler_so, *flags, "-x", "c-header", str(header), "-o", f"{header}.gch"]
                    seconds[CSRC / header.name, level] = seconds_of(command)
            return ["-include", str(headers[level])]

        def compile_one(job):
            source, level = job
            target = Path(self.build_temp) / f"level{level}" / source.with_suffix(".o")
            if self.force or out_of_date(target, source):
                target.parent.mkdir(parents=True, exist_ok=True)
                flags = flags_of(source, level)
                kept = Path(store, digest_of([*compiler, *flags], source) + ".o") if store else None
                if kept and kept.exists() and not self.force:
                    shutil.copyfile(kept, target)
                    return str(target)
                # A command of its own instead of self.compiler.compile, which does not say how long it took.
                files = [f"-I{CSRC}", f"-I{HEADERS}", "-c", str(source), "-o", str(target)]
                files += instructions_of(source, level)
                seconds[job] = seconds_of([*self.compiler.compiler_so, *files, *flags])
                if kept:
                    kept.parent.mkdir(parents=True, exist_ok=True)
                    half = kept.with_suffix(f".{os.getpid()}")  # concurrent builds each move a complete file there
                    shutil.copyfile(target, half)
                    os.replace(half, kept)
            return str(target)

        # The longest files come first: at the end, no processor waits for one of them.
        longest = sorted(jobs, key=lambda job: expanded(job[0]) * (2 + job[1]), reverse=True)
        with ThreadPoolExecutor(cpu_count() or 1) as threads:
            compiled = dict(zip(longest, threads.map(compile_one, longest), strict=True))
        objects = {job: compiled[job] for job in jobs}
        if self.times:
            print(table_of(seconds))
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
        """Link the library, and the program that uses it, into the package's folder."""
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        flags = shlex.split(os.environ.get("CFLAGS", ""))  # a sanitizer's, for instance
        libraries = ["m", "pthread"]
        options = [f"-Wl,-soname,{LIBRARY}", *(THREADS if platform.libc_ver()[0] == "glibc" else ()), *flags]
        self.compiler.link_shared_object(kernels, str(folder / LIBRARY), libraries=libraries, extra_postargs=options)
        self.compiler.link_executable(
            program, str(folder / RUNNER), libraries=["facula_kernels.1", *libraries], library_dirs=[str(folder)],
            extra_postargs=[*BESIDE, *flags],
        )  # fmt: skip

    # Methods that setuptools calls: the paths of files next to the extension, in the build and in development installs.
    def beside(self, path):
        """Return the paths of the library and the program in a file's folder."""
        return [str(Path(path).with_name(name)) for name in (LIBRARY, RUNNER)]

    def get_output_mapping(self):
        """Return built files and their places in the source tree."""
        mapping = dict(super().get_output_mapping())
        for built, placed in [*mapping.items()]:
            mapping.update(zip(self.beside(built), self.beside(placed), strict=True))
        return mapping

    def get_outputs(self):
        """Return built files."""
        outputs = super().get_outputs()
        return [*dict.fromkeys([*outputs, *self.beside(outputs[0])])]

    def copy_extensions_to_source(self):
        """Copy the files into the source tree."""
        super().copy_extensions_to_source()
        package = self.get_finalized_command("build_py").get_package_dir("facula_cpu")
        for name in (LIBRARY, RUNNER):
            self.copy_file(str(self.folder / name), str(Path(package, name)))


setup(cffi_modules=["build_kernels.py:ffi"], cmdclass={"build_ext": BuildKernels})
