"""Weights of an address are read where a download would put them."""

import hashlib
import os

import pytest

import facula
from facula import hub


def test_what_lies_in_the_folder_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(hub, "_chosen", {})
    hub.set_dir(tmp_path)
    folder = tmp_path / "checkpoints"
    address = "https://example.com/models/net.safetensors?download=1"
    text = f"downloads nothing; download https://example.com/.*1 to this file: '{folder}/net"
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
            with pytest.raises(ValueError, match=f"SHA-256 that begins with 00000000; got {digest}"):
                hub.load_state_dict_from_url(f"https://example.com/{name}", check_hash=True)
    assert hub.urlparse(address).netloc == "example.com"
