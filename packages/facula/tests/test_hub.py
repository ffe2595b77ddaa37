"""Weights of a URL are read from the path of a download; models of local folders are built."""

import hashlib
import os
import sys

import pytest

import facula
from facula import hub
from facula_errors.testing import raises


def test_weights_are_read_from_the_download_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "_chosen", {})
    hub.set_dir(tmp_path)
    folder = tmp_path / "checkpoints"
    address = "https://example.com/models/net.safetensors?download=1"
    text = f"does not download files; download https://example.com/.*1 to this file: '{folder}/net"
    with pytest.raises(FileNotFoundError, match=text):
        hub.load_state_dict_from_url(address)
    os.mkdir(folder)
    facula.save({"weight": facula.ones(2)}, folder / "net.safetensors")
    assert hub.load_state_dict_from_url(address, map_location="cpu", progress=False)["weight"].tolist() == [1, 1]
    assert hub.load_state_dict_from_url(address, folder, file_name="net.safetensors")["weight"].tolist() == [1, 1]
    digest = hashlib.sha256((folder / "net.safetensors").read_bytes()).hexdigest()
    for name, fits in ((f"net-{digest[:8]}.safetensors", True), ("net-00000000.safetensors", False)):
        os.link(folder / "net.safetensors", folder / name)
        if fits:
            read = hub.load_state_dict_from_url(f"https://example.com/{name}", check_hash=True)
            assert read["weight"].tolist() == [1, 1]
        else:
            with raises(ValueError, "load_state_dict_from_url", "SHA-256 that begins with 00000000", value=digest):
                hub.load_state_dict_from_url(f"https://example.com/{name}", check_hash=True)
    assert hub.urlparse(address).netloc == "example.com"


HUBCONF = """
from facula import nn
from {beside} import WIDTH

dependencies = ["math"]
number = 5


def layer(outputs, bias=True):
    from {later} import INPUTS
    return nn.Linear(INPUTS * WIDTH, outputs, bias=bias)
"""


def test_models_are_loaded_from_a_local_folder(tmp_path):
    (tmp_path / "beside_hubconf.py").write_text("WIDTH = 2")
    (tmp_path / "later_hubconf.py").write_text("INPUTS = 3")
    path = tmp_path / "hubconf.py"
    path.write_text(HUBCONF.format(beside="beside_hubconf", later="later_hubconf"))
    before = list(sys.path)
    made = hub.load(tmp_path, "layer", 4, source="local", bias=False)
    assert (made.weight.shape, made.bias) == ((4, 6), None)
    for name in ("number", "nothing"):
        with raises(RuntimeError, "load", f"expected a function '{name}' in {path}"):
            hub.load(str(tmp_path), name, source="local")
    with raises(NotImplementedError, "load", "clone owner/name and call load"):
        hub.load("owner/name", "layer")
    with raises(ValueError, "load", "'local' or 'github'", value="'gitlab'"):
        hub.load(tmp_path, "layer", source="gitlab")
    path.write_text('dependencies = ["math", "no_such_package"]')
    with raises(RuntimeError, "load", "not there: no_such_package", "install"):
        hub.load(tmp_path, "layer", source="local")
    path.unlink()
    with raises(FileNotFoundError, "load", "expected a folder with the file hubconf.py"):
        hub.load(tmp_path, "layer", source="local")
    assert sys.path == before
