"""Planners of the operators of neural networks: kernels/layers."""

from . import attention as attention
from . import batch_norm as batch_norm
from . import classes as classes
from . import convolution as convolution
from . import ctc as ctc
from . import norms as norms
from . import pooling as pooling
from . import recurrent as recurrent
from . import rows as rows
from . import taps as taps
