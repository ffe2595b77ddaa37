"""The ground floor: what a tensor is, before any operator is called.

What it is: `tensor` (a layout, a storage, an offset, autograd state) and `parameter`; `view_family`; `allocation` of
uninitialised results, `memory` (overlap, writability, `out=`) and `resizing`; `promotion` of dtypes, `sizes`, `formats`
and `geometry` of arguments; `errors`, `names` that PyTorch has, `call_sites` in the user's program.
May import: the packages below, and nothing of the floors above.
Where next: `tensor.py`; then `_dispatch`, the floor above.
"""
