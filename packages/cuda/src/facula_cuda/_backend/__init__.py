"""The backend that facula_storage finds under the name "cuda": memory, copies, waits, and plans.

Start with `backend.py`. `fallback.py` runs on the CPU the operators without a CUDA kernel, `launches.py` describes the
failures of a device.
"""
