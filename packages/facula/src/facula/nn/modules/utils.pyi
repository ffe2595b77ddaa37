"""Names of PyTorch's torch.nn.modules.utils, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula.nn._tuples import _ntuple as _ntuple
from facula.nn._tuples import _pair as _pair
from facula.nn._tuples import _quadruple as _quadruple
from facula.nn._tuples import _reverse_repeat_tuple as _reverse_repeat_tuple
from facula.nn._tuples import _single as _single
from facula.nn._tuples import _triple as _triple
from facula.nn._tuples import consume_prefix_in_state_dict_if_present as consume_prefix_in_state_dict_if_present
