"""From typed elementwise operators and programs to CUDA C++.

`generate(operator, kinds, outputs)` returns `Kernels`: a dense one for contiguous arrays, a nested one for strides and
broadcasting, and for programs that end in a reduction a folded one. Typing is facula_cpu's `typed_program`, and the
functions of elements are those in `_elements`, so that results are the CPU's, bit for bit.
`values` writes an element's computation, `elementwise` the kernels around it, `folded` those of reductions.
"""

from .elementwise import FEW as FEW
from .elementwise import Kernels as Kernels
from .elementwise import generate as generate
from .folded import folded_blocks as folded_blocks
