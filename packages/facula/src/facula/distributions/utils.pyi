"""Names of PyTorch's torch.distributions.utils, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._functions.rare import standard_normal as _own_standard_normal
from facula._functions.rare import sum_rightmost as _own_sum_rightmost
from facula_distributions.utils import broadcast_all as broadcast_all
from facula_distributions.utils import clamp_probs as clamp_probs
from facula_distributions.utils import euler_constant as euler_constant
from facula_distributions.utils import lazy_property as lazy_property
from facula_distributions.utils import logits_to_probs as logits_to_probs
from facula_distributions.utils import probs_to_logits as probs_to_logits
from facula_distributions.utils import tril_matrix_to_vec as tril_matrix_to_vec
from facula_distributions.utils import vec_to_tril_matrix as vec_to_tril_matrix

_standard_normal = _own_standard_normal
_sum_rightmost = _own_sum_rightmost
