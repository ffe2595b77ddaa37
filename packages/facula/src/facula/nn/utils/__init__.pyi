"""Names of PyTorch's torch.nn.utils, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from . import clip_grad as clip_grad
from . import convert_parameters as convert_parameters
from . import fusion as fusion
from . import parametrizations as parametrizations
from . import parametrize as parametrize
from . import prune as prune
from . import rnn as rnn
from . import stateless as stateless
from facula._functions.older import older_utils as _own_older_utils
from facula_nn.utils import clip_grad_norm_ as clip_grad_norm_
from facula_nn.utils import clip_grad_value_ as clip_grad_value_
from facula_nn.utils import clip_grads_with_norm_ as clip_grads_with_norm_
from facula_nn.utils import fuse_conv_bn_eval as fuse_conv_bn_eval
from facula_nn.utils import fuse_conv_bn_weights as fuse_conv_bn_weights
from facula_nn.utils import fuse_linear_bn_eval as fuse_linear_bn_eval
from facula_nn.utils import fuse_linear_bn_weights as fuse_linear_bn_weights
from facula_nn.utils import get_total_norm as get_total_norm
from facula_nn.utils import parameters_to_vector as parameters_to_vector
from facula_nn.utils import remove_spectral_norm as remove_spectral_norm
from facula_nn.utils import remove_weight_norm as remove_weight_norm
from facula_nn.utils import skip_init as skip_init
from facula_nn.utils import spectral_norm as spectral_norm
from facula_nn.utils import vector_to_parameters as vector_to_parameters
from facula_nn.utils import weight_norm as weight_norm

clip_grad_norm = _own_older_utils.clip_grad_norm
