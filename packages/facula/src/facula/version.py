"""facula.version: what this is, and what it was built for: no device beside the CPU."""

from __future__ import annotations

from . import __version__ as __version__
from ._names import publish

__all__ = ["cuda", "debug", "git_version", "hip", "rocm", "xpu"]

cuda: str | None = None
hip: str | None = None
rocm: str | None = None
xpu: str | None = None
git_version: str | None = None
debug = False

publish(__name__)
