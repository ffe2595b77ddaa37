"""The module that cffi builds from csrc/: `lib.driver` is the table of driver functions."""

from typing import Any

lib: Any
ffi: Any
