"""Names of PyTorch's torch.utils.cpp_extension, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._lookup.refusals import Kind, Refusal

BuildExtension: Kind
CUDAExtension: Kind
CppExtension: Kind
include_paths: Refusal
library_paths: Refusal
load: Refusal
load_inline: Refusal
