"""The port: the only room, together with `_compile` and csrc/, that calls CUDA by name.

`driver` opens the driver and describes its errors. `devices` has contexts, properties and the current device, `streams`
has streams and events. `runtime` is what facula_allocator's drivers need of CUDA; `device_memory` and `pinned` have
the allocators. `graphs` captures work and replays it.
"""
