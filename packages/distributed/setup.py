"""The C module; everything else about the build is in pyproject.toml. CFLAGS from the environment are honoured."""

import sysconfig
from shutil import which

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.errors import CCompilerError

if sysconfig.get_config_var("Py_GIL_DISABLED"):
    raise SystemExit("facula-distributed is not available for free-threaded Python: use a Python with the GIL")

try:
    import cffi  # noqa: F401  # without it setuptools would leave out cffi_modules
except ImportError:
    raise SystemExit('facula-distributed is built with cffi: first run pip install cffi "setuptools>=77"') from None


class BuildExtensions(build_ext):
    """Says what to install where there is no compiler."""

    def build_extensions(self):
        """Compile the C modules."""
        compiler = self.compiler.compiler_so[0]
        if which(compiler) is None:
            raise CCompilerError(f"facula-distributed is compiled from C: install gcc ({compiler!r} is not found)")
        super().build_extensions()


setup(cmdclass={"build_ext": BuildExtensions}, cffi_modules=["build_shm.py:ffi"])
