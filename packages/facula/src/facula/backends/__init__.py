"""facula.backends: queries and switches of the libraries that PyTorch computes with; facula has its own kernels.

Their switches keep their values but have no effect: results are the same in every run, in full precision. Exceptions
are `cuda.matmul.allow_tf32` and `cpu.convolution`. May import: siblings. Where next: one module per library.
"""

from .._lookup.names import publish
from . import cpu, cuda, cudnn, cusparselt, kleidiai, mha, mkl, mkldnn, mps, nnpack, openmp, opt_einsum

publish(__name__)
