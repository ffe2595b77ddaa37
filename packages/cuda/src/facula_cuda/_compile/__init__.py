"""From the text of kernels to functions on a device. Together with `_port` and csrc/ the only room that names CUDA.

* `nvrtc` compiles text to machine code; `architectures` chooses for which architecture.
* `cache` stores what was compiled on disk.
* `modules` loads it: `functions(source, names, device_index, headers)` returns the handles that launches take.
"""
