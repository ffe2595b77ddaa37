"""Names of PyTorch's torch.utils, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from . import benchmark as benchmark
from . import checkpoint as checkpoint
from . import collect_env as collect_env
from . import cpp_extension as cpp_extension
from . import data as data
from . import deterministic as deterministic
from . import dlpack as dlpack
from . import einops as einops
from . import flop_counter as flop_counter
from . import hooks as hooks
from . import model_zoo as model_zoo
from . import tensorboard as tensorboard
from facula._lookup.refusals import Kind as _Kind, Refusal as _Refusal

swap_tensors: _Refusal
