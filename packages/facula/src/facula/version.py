"""facula.version: the version, and the versions of the devices' libraries.

`cuda` is the version of CUDA that facula_cuda compiles kernels for, None if that package is not installed.

`facula` is its own version, `pytorch` that of the PyTorch version whose names and semantics it follows. In programs
under `python -m facula run`, `torch.__version__` and `torch.version.__version__` are the latter.
"""

from __future__ import annotations

from ._lookup.absent_device import has_cuda_package
from ._lookup.names import publish

__all__ = ["cuda", "debug", "facula", "git_version", "hip", "pytorch", "rocm", "xpu"]

facula: str = "0.1.0"  # facula's version
__version__: str = facula
pytorch: str = "2.13.0"  # the version of PyTorch whose names and semantics facula follows
cuda: str | None = "13.0" if has_cuda_package() else None  # of CUDA for kernels; None without facula-cuda
hip: str | None = None  # None: there is no backend for AMD devices
rocm: str | None = None  # None, as `hip`
xpu: str | None = None  # None: there is no backend for Intel devices
git_version: str | None = None  # None: the version does not name a commit
debug = False  # False: there are no builds with more checks

publish(__name__)
