"""Print, as JSON, the states of the networks in examples/ and the scores with weights from files.

The networks are PyTorch programs, so this one is, too: `python -m facula run pretrained_networks.py FOLDER`.
"""

import importlib
import json
import sys
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "examples"), str(ROOT / "integration_tests" / "reference")]
import pretrained

NETWORKS = {"resnet": "ResNet18", "vit": "ViT", "gpt": "GPT"}
INPUTS = {"resnet": pretrained.image(64), "vit": pretrained.image(32), "gpt": pretrained.np.array(pretrained.TOKENS)}


def save(state, path):
    """Write a file with the weights of some names and shapes."""
    weights = {name: torch.from_numpy(pretrained.weight(name, tuple(shape))) for name, shape in state.items()}
    torch.save(weights, path)  # facula's `save` writes safetensors by this suffix


@torch.no_grad()
def scores(name, path):
    """Return the first scores of a network with the weights of a file."""
    network = importlib.import_module(name).pretrained(str(path))
    return network(torch.from_numpy(INPUTS[name]))[0].flatten()[:40].tolist()


def main():
    folder, expected = Path(sys.argv[1]), json.loads(Path(pretrained.__file__).with_suffix(".json").read_text())
    found = {"full": {}, "scores": {}}
    for name, kind in NETWORKS.items():
        with torch.device("meta"):
            found["full"][name] = pretrained.shapes(getattr(importlib.import_module(name), kind)())
        for suffix in (".pth", ".safetensors"):
            path = folder / f"{name}{suffix}"
            save(expected["small"][name]["state"], path)
            found["scores"][path.name] = scores(name, path)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
