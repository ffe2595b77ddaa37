"""The networks of examples/ have the names and shapes of torchvision's and GPT-2's, and load their files."""

import json
import subprocess
import sys

import pytest

pytest.importorskip("facula", reason="packages/facula is not begun", exc_type=ModuleNotFoundError)

NETWORKS = ("resnet", "vit", "gpt")


@pytest.fixture(scope="module")
def expected(root):
    return json.loads((root / "integration_tests" / "reference" / "pretrained.json").read_text())


@pytest.fixture(scope="module")
def found(root, tmp_path_factory):
    program = root / "integration_tests" / "together" / "pretrained_networks.py"
    command = [sys.executable, "-m", "facula", "run", str(program), str(tmp_path_factory.mktemp("weights"))]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", NETWORKS)
def test_names_and_shapes_are_those_of_the_published_networks(expected, found, name):
    assert found["full"][name] == expected["full"][name] and len(expected["full"][name]) > 100


def test_the_published_names_are_the_known_ones(expected):
    full = expected["full"]
    assert full["resnet"]["conv1.weight"] == [64, 3, 7, 7] and full["resnet"]["layer2.0.downsample.0.weight"]
    assert full["vit"]["encoder.layers.encoder_layer_11.self_attention.in_proj_weight"] == [2304, 768]
    assert full["gpt"]["h.0.attn.c_attn.weight"] == [768, 2304]


@pytest.mark.parametrize("suffix", [".pth", ".safetensors"])
@pytest.mark.parametrize("name", NETWORKS)
def test_loaded_weights_give_the_libraries_scores(expected, found, name, suffix):
    known = expected["small"][name]["scores"]
    assert found["scores"][name + suffix] == pytest.approx(known, rel=1e-4, abs=1e-4)
    assert max(known) - min(known) > 0.1
