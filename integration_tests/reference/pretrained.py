"""Parameter names, shapes and scores of torchvision's ResNet-18 and ViT and of transformers' GPT-2.

This program writes pretrained.json with those libraries. The test loads the same weights, which NumPy draws by their
names, into the networks of examples/, and needs none of them.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path

import numpy as np

# Small enough to test; heads have 64 numbers, as in the published networks.
VIT = {"image_size": 32, "patch_size": 8, "num_layers": 2, "num_heads": 2, "hidden_dim": 128, "mlp_dim": 256}
GPT2 = {"n_layer": 2, "n_head": 2, "n_embd": 128, "vocab_size": 60, "n_positions": 16}
TOKENS = [[7, 3, 59, 0, 21, 8]]


def weight(name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Return the weight of a name: random numbers of a size that keeps scores near 1."""
    if name.endswith("num_batches_tracked"):
        return np.array(1)
    name = name.replace("lm_head.", "transformer.wte.")  # one matrix
    drawn = np.random.default_rng(zlib.crc32(name.encode())).standard_normal(shape, np.float32)
    if name.endswith("running_var"):
        return np.abs(drawn) + np.float32(0.5)
    return drawn * np.float32((np.prod(shape[1:]) or 1) ** -0.5 if len(shape) > 1 else 0.3)


def image(pixels: int) -> np.ndarray:
    """Return a batch of one image of random colors."""
    return np.random.default_rng(1).standard_normal((1, 3, pixels, pixels), np.float32)


def shapes(network) -> dict[str, list[int]]:
    """Return the shape of each entry of the state of a network."""
    return {name: list(value.shape) for name, value in network.state_dict().items()}


def main() -> None:
    import torch
    import torchvision
    import transformers

    @torch.no_grad()
    def scores(network, *inputs: np.ndarray) -> dict:
        state = {name: torch.from_numpy(weight(name, shape)) for name, shape in shapes(network).items()}
        network.load_state_dict(state)
        result = network.eval()(*map(torch.from_numpy, inputs))
        return {"state": shapes(network), "scores": getattr(result, "logits", result)[0].flatten()[:40].tolist()}

    with torch.device("meta"):
        full = {
            "resnet": shapes(torchvision.models.resnet18()),
            "vit": shapes(torchvision.models.vit_b_16()),
            "gpt": shapes(transformers.GPT2Model(transformers.GPT2Config())),
        }
    config = transformers.GPT2Config(**GPT2, attn_implementation="eager")
    small = {
        "resnet": scores(torchvision.models.resnet18(num_classes=5), image(64)),
        "vit": scores(torchvision.models.VisionTransformer(**VIT, num_classes=5), image(32)),
        "gpt": scores(transformers.GPT2LMHeadModel(config), np.array(TOKENS)),
    }
    made_with = {library.__name__: library.__version__ for library in (torch, torchvision, transformers)}
    text = json.dumps({"made with": made_with, "full": full, "small": small})
    Path(__file__).with_suffix(".json").write_text(text.replace("], ", "],\n").replace("}, ", "},\n") + "\n")


if __name__ == "__main__":
    main()
