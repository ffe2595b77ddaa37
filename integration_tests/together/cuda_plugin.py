"""A pytest plugin: simulated CUDA devices, on which operators without a kernel run on the CPU without a warning."""

import os

from facula_cuda.testing import simulate

os.environ.setdefault("FACULA_CUDA_FALLBACK", "quiet")
os.environ.pop("CUDA_VISIBLE_DEVICES", None)
simulate()
