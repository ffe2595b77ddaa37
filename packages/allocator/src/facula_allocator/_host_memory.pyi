"""The module that cffi builds from csrc/host.h."""

from typing import Any

lib: Any
ffi: Any
