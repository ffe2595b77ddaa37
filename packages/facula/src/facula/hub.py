"""facula.hub: models from a local folder, and weights from the cache folder; this module never downloads."""

from __future__ import annotations

import os
import re
import sys
from errno import ENOENT
from hashlib import file_digest
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from typing import TYPE_CHECKING, Any
from urllib.parse import urlparse  # timm imports it from here

from facula_errors import CorruptFileError, InvalidValueError, MissingFileError, OperationError, UnsupportedError
from facula_errors.extend import boundary

from ._lookup.names import publish
from ._lookup.refusals import Refusal, Refusals
from ._pickles.saving import load as _load_file

if TYPE_CHECKING:
    from facula_tensor.extend.arguments import DeviceLike

__all__ = [
    "HASH_REGEX", "download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir",
]  # fmt: skip

# Matches the first digits of the SHA-256 at the end of a file's name: "name-0123abcd.pth".
HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")

_missing = Refusals("hub", "facula does not download files: download the file and read it with facula.load(path)")
download_url_to_file: Refusal = _missing.function("download_url_to_file")
help: Refusal = _missing.function("help")
list: Refusal = _missing.function("list")

_chosen: dict[str, str] = {}


def get_dir() -> str:
    """Return the folder of PyTorch's downloads: TORCH_HOME, or a folder in the user's cache.

    >>> import os
    >>> os.path.basename(get_dir())
    'hub'
    """
    return _chosen.get("folder") or os.path.join(_get_torch_home(), "hub")


def _get_torch_home() -> str:
    """Return the folder of downloads of PyTorch and its libraries, including data sets."""
    cache = os.environ.get("XDG_CACHE_HOME", os.path.join("~", ".cache"))
    return os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(cache, "torch")))


def set_dir(d: str | os.PathLike[str]) -> None:
    """Set the folder that `get_dir` returns."""
    _chosen["folder"] = os.path.expanduser(d)


@boundary
def load(
    repo_or_dir: str | os.PathLike[str],
    model: str,
    *args: Any,
    source: str = "github",
    trust_repo: bool | str | None = None,
    force_reload: bool = False,
    verbose: bool = True,
    skip_validation: bool = False,
    **kwargs: Any,
) -> Any:
    """Run a folder's `hubconf.py` and call one of its functions. The file can import modules of its folder.

    Arguments:
        repo_or_dir: the folder.
        model: the name of the function.
        *args: passed to it.
        source: "local"; "github" is refused, since this module never downloads.
        trust_repo: ignored, like the next three; they apply to PyTorch's downloads.
        force_reload: download again.
        verbose: report the download.
        skip_validation: do not check that the repository exists.
        **kwargs: passed to the function.

    Raises:
        NotImplementedError: `source` is "github".
        FileNotFoundError: there is no `hubconf.py`.
        RuntimeError: it has no such function, or a package of its list `dependencies` is missing.
    """
    if source not in ("github", "local"):
        raise InvalidValueError(f"load: expected source to be 'local' or 'github'; got {source!r}")
    if source == "github":
        raise UnsupportedError(
            f"load: facula does not download files; clone {repo_or_dir} and call load(folder, {model!r}, "
            "source='local')"
        )
    folder = os.path.abspath(os.path.expanduser(repo_or_dir))
    path = os.path.join(folder, "hubconf.py")
    if not os.path.isfile(path):
        raise MissingFileError(ENOENT, "load: expected a folder with the file hubconf.py; there is no such file", path)
    sys.path.insert(0, folder)
    try:
        spec: Any = spec_from_file_location("hubconf", path)
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        missing = [name for name in getattr(module, "dependencies", ()) if find_spec(name) is None]
        if missing:
            raise OperationError(f"load: {path} needs packages that are not there: {', '.join(missing)}; install them")
        function = getattr(module, model, None)
        if not callable(function):
            raise OperationError(f"load: expected a function {model!r} in {path}; there is none")
        return function(*args, **kwargs)
    finally:
        if folder in sys.path:
            sys.path.remove(folder)


@boundary
def load_state_dict_from_url(
    url: str,
    model_dir: str | os.PathLike[str] | None = None,
    map_location: DeviceLike | None = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = False,
) -> Any:
    """Load the file of a URL from the cache folder, where a download would put it, with `facula.load`.

    Arguments:
        url: the URL.
        model_dir: the folder; "checkpoints" in `get_dir()` if None.
        map_location: the device for the tensors.
        progress: ignored, as there is no download.
        check_hash: compare the file's SHA-256 with the digits at the end of its name.
        file_name: the file's name; the last part of the URL if None.
        weights_only: as in `facula.load`.

    Raises:
        FileNotFoundError: there is no such file; the message names the URL, and the place for its contents.
        ValueError: the file's SHA-256 differs from that in its name.

    >>> load_state_dict_from_url("https://example.com/net-0123abcd.pth", "weights")
    Traceback (most recent call last):
    facula_errors.MissingFileError: [Errno 2] load_state_dict_from_url: facula does not download files; download \
https://example.com/net-0123abcd.pth to this file: 'weights/net-0123abcd.pth'
    """
    folder = os.fspath(model_dir) if model_dir is not None else os.path.join(get_dir(), "checkpoints")
    name = file_name or os.path.basename(urlparse(url).path)
    path = os.path.join(folder, name)
    if not os.path.isfile(path):
        raise MissingFileError(
            ENOENT, f"load_state_dict_from_url: facula does not download files; download {url} to this file", path
        )
    expected = HASH_REGEX.search(name) if check_hash else None
    if expected:
        with open(path, "rb") as file:
            found = file_digest(file, "sha256").hexdigest()
        if not found.startswith(expected[1]):
            problem = f"expected a SHA-256 that begins with {expected[1]}; got {found}"
            raise CorruptFileError("load_state_dict_from_url", path, "", problem, "download it again")
    return _load_file(path, map_location=map_location, weights_only=weights_only)


publish(__name__)
