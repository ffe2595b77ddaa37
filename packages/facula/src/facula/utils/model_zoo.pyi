"""Names of PyTorch's torch.utils.model_zoo, from `_places.txt`, by packages/facula/tests/test_stubs.py."""

from facula._interop.progress import tqdm as tqdm
from facula.hub import load_state_dict_from_url as _own_load_state_dict_from_url

load_url = _own_load_state_dict_from_url
