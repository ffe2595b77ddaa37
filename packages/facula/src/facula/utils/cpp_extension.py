"""Operators in C++ and CUDA: not there yet."""

from .._names import publish
from .._refusals import Kind, Refusal, Refusals

__all__ = ["BuildExtension", "CUDAExtension", "CppExtension", "include_paths", "library_paths", "load", "load_inline"]

_missing = Refusals(
    "utils.cpp_extension", "write a Function of autograd, whose forward may call a library through NumPy's arrays"
)
BuildExtension: Kind = _missing.kind("BuildExtension")
CUDAExtension: Kind = _missing.kind("CUDAExtension")
CppExtension: Kind = _missing.kind("CppExtension")
include_paths: Refusal = _missing.function("include_paths")
library_paths: Refusal = _missing.function("library_paths")
load: Refusal = _missing.function("load")
load_inline: Refusal = _missing.function("load_inline")

publish(__name__)
