"""Names of PyTorch's torch.nn.init, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._functions.older import older_init as _own_older_init
from facula_nn.extend import fan as _own_fan
from facula_nn.extend import fan_in_and_fan_out as _own_fan_in_and_fan_out
from facula_nn.init import calculate_gain as calculate_gain
from facula_nn.init import constant_ as _own_constant_
from facula_nn.init import constant_ as constant_
from facula_nn.init import dirac_ as dirac_
from facula_nn.init import eye_ as eye_
from facula_nn.init import kaiming_normal_ as kaiming_normal_
from facula_nn.init import kaiming_uniform_ as kaiming_uniform_
from facula_nn.init import normal_ as _own_normal_
from facula_nn.init import normal_ as normal_
from facula_nn.init import ones_ as ones_
from facula_nn.init import orthogonal_ as orthogonal_
from facula_nn.init import sparse_ as sparse_
from facula_nn.init import trunc_normal_ as _own_trunc_normal_
from facula_nn.init import trunc_normal_ as trunc_normal_
from facula_nn.init import uniform_ as _own_uniform_
from facula_nn.init import uniform_ as uniform_
from facula_nn.init import xavier_normal_ as xavier_normal_
from facula_nn.init import xavier_uniform_ as xavier_uniform_
from facula_nn.init import zeros_ as _own_zeros_
from facula_nn.init import zeros_ as zeros_

_calculate_fan_in_and_fan_out = _own_fan_in_and_fan_out
constant = _own_older_init.constant
dirac = _own_older_init.dirac
eye = _own_older_init.eye
kaiming_normal = _own_older_init.kaiming_normal
kaiming_uniform = _own_older_init.kaiming_uniform
normal = _own_older_init.normal
orthogonal = _own_older_init.orthogonal
sparse = _own_older_init.sparse
uniform = _own_older_init.uniform
xavier_normal = _own_older_init.xavier_normal
xavier_uniform = _own_older_init.xavier_uniform
_calculate_correct_fan = _own_fan
_no_grad_fill_ = _own_constant_
_no_grad_normal_ = _own_normal_
_no_grad_trunc_normal_ = _own_trunc_normal_
_no_grad_uniform_ = _own_uniform_
_no_grad_zero_ = _own_zeros_
