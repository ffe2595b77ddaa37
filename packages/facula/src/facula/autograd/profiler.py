"""Where the time of a program goes, where programs for PyTorch look for it."""

from .._names import publish
from .._refusals import Kind, Refusals
from ..profiler import record_function

__all__ = ["emit_itt", "emit_nvtx", "profile", "record_function"]

_missing = Refusals("autograd.profiler", "use utils.benchmark.Timer for a piece, and Python's cProfile for a program")
emit_itt: Kind = _missing.kind("emit_itt")
emit_nvtx: Kind = _missing.kind("emit_nvtx")
profile: Kind = _missing.kind("profile")

publish(__name__)
