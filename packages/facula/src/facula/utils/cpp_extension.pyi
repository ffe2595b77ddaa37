"""Names of PyTorch's torch.utils.cpp_extension, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

BuildExtension: _Kind
CUDAExtension: _Kind
CppExtension: _Kind
include_paths: _Refusal
library_paths: _Refusal
load: _Refusal
load_inline: _Refusal
