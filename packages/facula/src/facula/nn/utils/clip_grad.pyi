"""Names of PyTorch's torch.nn.utils.clip_grad, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.nn.utils import clip_grad_norm_ as clip_grad_norm_
from facula.nn.utils import clip_grad_value_ as clip_grad_value_
from facula.nn.utils import clip_grads_with_norm_ as clip_grads_with_norm_
from facula.nn.utils import get_total_norm as get_total_norm
