"""facula.hub: models by download: not there; facula fetches nothing."""

from __future__ import annotations

import os
import re

from ._names import publish
from ._refusals import Refusal, Refusals

__all__ = [
    "HASH_REGEX", "download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir",
]  # fmt: skip

# In names of files that end in the first digits of their SHA-256: "name-0123abcd.pth".
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")

_missing = Refusals(
    "hub", "facula fetches nothing: download the weights as safetensors and read them with facula.load(path)"
)
download_url_to_file: Refusal = _missing.function("download_url_to_file")
help: Refusal = _missing.function("help")
list: Refusal = _missing.function("list")
load: Refusal = _missing.function("load")
load_state_dict_from_url: Refusal = _missing.function("load_state_dict_from_url")

_chosen: dict[str, str] = {}


def get_dir() -> str:
    """The folder that PyTorch downloads to, in which a program may look: TORCH_HOME, or in the user's cache.

    >>> import os
    >>> os.path.basename(get_dir())
    'hub'
    """
    return _chosen.get("folder") or os.path.join(_get_torch_home(), "hub")


def _get_torch_home() -> str:
    """The folder of what PyTorch and its libraries download, data sets among them."""
    cache = os.environ.get("XDG_CACHE_HOME", os.path.join("~", ".cache"))
    return os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(cache, "torch")))


def set_dir(d: str | os.PathLike[str]) -> None:
    """Set what `get_dir` gives."""
    _chosen["folder"] = os.path.expanduser(d)


publish(__name__)
