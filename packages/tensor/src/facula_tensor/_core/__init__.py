"""The core: tensors and their properties, without operators.

Contents: `tensor` (a layout, a storage, an offset, autograd state) and `parameter`; `view_family`; `allocation` of
uninitialised results, `memory` (overlap, writability, `out=`) and `resizing`; `promotion` of dtypes, `sizes`, `formats`
and `geometry` of arguments; `errors`, `names` that PyTorch has, `call_sites` in the user's program.
May import: the packages below, and no other layer of this one.
Where next: `tensor.py`; then `_dispatch`, the next layer.
"""
