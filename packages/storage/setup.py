"""The C module of this package; everything else about the build is in pyproject.toml."""

import sysconfig
from shutil import which

import setuptools
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CCompilerError

if sysconfig.get_config_var("Py_GIL_DISABLED"):
    raise SystemExit("facula-storage is not available for free-threaded Python: use a Python with the GIL")

if int(setuptools.__version__.partition(".")[0]) < 77:
    raise SystemExit('facula-storage is built with setuptools 77 or newer: first run pip install "setuptools>=77"')

SOURCES = (
    "attributes", "buffer", "checks", "description", "dlpack", "launch", "layouts", "module", "replay", "result",
    "same", "sequence", "slots", "threads", "windows",
)  # fmt: skip


class BuildExtensions(build_ext):
    """Says what to install where there is no compiler."""

    def build_extensions(self):
        """Compile the C modules."""
        compiler = self.compiler.compiler_so[0]
        if which(compiler) is None:
            raise CCompilerError(f"facula-storage is compiled from C: install gcc ({compiler!r} is not found)")
        super().build_extensions()


setup(
    cmdclass={"build_ext": BuildExtensions},
    ext_modules=[
        Extension(
            "facula_storage._bridge",
            [f"csrc/{name}.c" for name in SOURCES],
            depends=[f"csrc/{name}.h" for name in ("bridge", "checks", "launch", "sequence")],
            define_macros=[("Py_LIMITED_API", "0x030b0000")],
            extra_compile_args=[
                "-O2", "-std=c11", "-fvisibility=hidden", "-Wall", "-Wextra", "-Wno-missing-field-initializers",
            ],
            py_limited_api=True,
        )
    ]
)  # fmt: skip
