"""Settings of PyTorch's compiler. They can be set and read, but have no effect."""

from __future__ import annotations

suppress_errors = False
verbose = False
disable = False
cache_size_limit = 8
recompile_limit = 8
accumulated_cache_size_limit = 256
accumulated_recompile_limit = 256
capture_scalar_outputs = False
capture_dynamic_output_shape_ops = False
optimize_ddp: bool | str = True
assume_static_by_default = True
automatic_dynamic_shapes = True
allow_unspec_int_on_nn_module = False
inline_inbuilt_nn_modules = True
