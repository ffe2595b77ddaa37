"""The two C modules; everything else about the build is in pyproject.toml. CFLAGS from the environment are honoured."""

import sysconfig
from shutil import which

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CCompilerError

if sysconfig.get_config_var("Py_GIL_DISABLED"):
    raise SystemExit("facula-allocator is not available for free-threaded Python: use a Python with the GIL")

try:
    import cffi  # noqa: F401  # without it setuptools would leave out cffi_modules
except ImportError:
    raise SystemExit('facula-allocator is built with cffi: first run pip install cffi "setuptools>=77"') from None


core = Extension(
    "facula_allocator._core",
    [
        f"csrc/{name}.c"
        for name in (
            "blocktype", "core", "coresegments", "coretype", "expandable", "functions", "kept", "module", "segments",
            "stacks", "taker", "tree", "views",
        )
    ],
    include_dirs=["src/facula_allocator/include"],
    depends=["csrc/books.h", "csrc/core.h", "csrc/types.h", "src/facula_allocator/include/facula_allocator.h"],
    define_macros=[("Py_LIMITED_API", "0x030b0000")],
    extra_compile_args=[
        "-O2", "-std=c11", "-fvisibility=hidden", "-Wall", "-Wextra",
        "-Wno-missing-field-initializers", "-Wno-cast-function-type",
    ],
    py_limited_api=True,
)  # fmt: skip


class BuildExtensions(build_ext):
    """Says what to install where there is no compiler."""

    def build_extensions(self):
        """Compile the C modules."""
        compiler = self.compiler.compiler_so[0]
        if which(compiler) is None:
            raise CCompilerError(f"facula-allocator is compiled from C: install gcc ({compiler!r} is not found)")
        super().build_extensions()


setup(cmdclass={"build_ext": BuildExtensions}, ext_modules=[core], cffi_modules=["build_host.py:ffi"])
