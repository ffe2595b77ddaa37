"""Layers of networks: convolution and pooling, normalization, losses, attention and recurrent layers."""

from . import attention as attention
from . import batch_norm as batch_norm
from . import convolution as convolution
from . import cross_entropy as cross_entropy
from . import ctc as ctc
from . import given_taps as given_taps
from . import layer_norm as layer_norm
from . import pooling as pooling
from . import recurrent as recurrent
from . import resample as resample
from . import response as response
from . import softmax as softmax
