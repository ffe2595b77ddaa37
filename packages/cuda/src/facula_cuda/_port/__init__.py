"""The port: the only room, together with `_compile` and csrc/, that calls CUDA by name.

`driver` opens the driver and describes its errors.
"""
