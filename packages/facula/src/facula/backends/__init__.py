"""facula.backends: libraries that PyTorch computes with, asked and switched as programs do; facula has its own kernels.

Switches keep what they are set to, and change nothing: results are the same in every run, in full precision.
May import: siblings. Where next: one module a library.
"""

from .._lookup.names import publish
from . import cpu, cuda, cudnn, cusparselt, kleidiai, mha, mkl, mkldnn, mps, nnpack, openmp, opt_einsum

publish(__name__)
