"""A vision transformer with torchvision's parameter names: trains on handwritten digits, or loads a trained one.

    python examples/vit.py                                                 with PyTorch
    python -m facula run examples/vit.py                                   with facula
    python -m facula run examples/vit.py --weights vit_b_16.pth --image cat.jpg

The digits are scikit-learn's: 1,797 images of 8 by 8 pixels, a fifth of which is held out. With `--weights` the program
loads a .pth or .safetensors file in torchvision's format, and prints the most likely classes of an image.
"""

from __future__ import annotations

import argparse
from collections import OrderedDict
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits  # pip install scikit-learn
from torch.utils.data import DataLoader, TensorDataset

PIXELS, PATCH, BATCH = 8, 2, 64
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of the colors of ImageNet


class Layer(nn.Module):
    """Attention between patches, then a small network for each patch; each result is added to the input."""

    def __init__(self, size: int, heads: int, hidden: int) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(size, eps=1e-6)
        self.self_attention = nn.MultiheadAttention(size, heads, batch_first=True)
        self.ln_2 = nn.LayerNorm(size, eps=1e-6)
        # The dropout gives the second linear layer torchvision's name, "3".
        self.mlp = nn.Sequential(nn.Linear(size, hidden), nn.GELU(), nn.Dropout(0.0), nn.Linear(hidden, size))

    def forward(self, x):
        normal = self.ln_1(x)
        x = x + self.self_attention(normal, normal, normal, need_weights=False)[0]
        return x + self.mlp(self.ln_2(x))


class Encoder(nn.Module):
    """Layers for a sequence of vectors, to which their positions are added."""

    def __init__(self, length: int, size: int, heads: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.pos_embedding = nn.Parameter(torch.zeros(1, length, size))
        named = [(f"encoder_layer_{index}", Layer(size, heads, hidden)) for index in range(layers)]
        self.layers = nn.Sequential(OrderedDict(named))
        self.ln = nn.LayerNorm(size, eps=1e-6)

    def forward(self, x):
        return self.ln(self.layers(x + self.pos_embedding))


class ViT(nn.Module):
    """Scores of classes for images: (batch, channels, height, width) to (batch, classes)."""

    def __init__(
        self, size: int = 768, heads: int = 12, hidden: int = 3072, layers: int = 12, *,
        classes: int = 1000, channels: int = 3, patch: int = 16, patches: int = 14 * 14,
    ) -> None:  # fmt: skip
        super().__init__()
        self.class_token = nn.Parameter(torch.zeros(1, 1, size))  # the position whose result is classified
        self.conv_proj = nn.Conv2d(channels, size, kernel_size=patch, stride=patch)  # one vector per patch
        self.encoder = Encoder(patches + 1, size, heads, hidden, layers)
        self.heads = nn.Sequential(OrderedDict([("head", nn.Linear(size, classes))]))

    def forward(self, images):
        patches = self.conv_proj(images).flatten(2).transpose(1, 2)
        tokens = torch.cat([self.class_token.expand(len(images), -1, -1), patches], dim=1)
        return self.heads(self.encoder(tokens)[:, 0])


def for_digits(size: int) -> ViT:
    """Return a small network for images of digits."""
    return ViT(size, 4, 2 * size, 2, classes=10, channels=1, patch=PATCH, patches=(PIXELS // PATCH) ** 2)


def read(path: str) -> dict[str, torch.Tensor]:
    """Return the tensors of a .pth or .safetensors file; facula's `load` reads both."""
    try:
        if path.endswith(".safetensors") and find_spec("safetensors"):
            from safetensors.torch import load_file

            return load_file(path)
        state = torch.load(path)
    except Exception as error:  # the libraries raise different ones
        raise SystemExit(f"expected a .pth or .safetensors file; got {path}: {error}") from None
    if isinstance(state, dict) and all(isinstance(value, torch.Tensor) for value in state.values()):
        return state
    found = f"a dict of {', '.join(map(str, state))}" if isinstance(state, dict) else type(state).__name__
    raise SystemExit(f"{path}: expected a state dict: a dict of tensors; got {found}; save model.state_dict() alone")


def pretrained(path: str) -> ViT:
    """Return a network with the weights, and the sizes, of a file; heads have 64 numbers."""
    weights = read(path)
    try:
        size, channels, patch, _ = weights["conv_proj.weight"].shape
        hidden = len(weights["encoder.layers.encoder_layer_0.mlp.0.bias"])
        layers = sum(name.endswith("ln_1.bias") for name in weights)
        classes, patches = len(weights["heads.head.bias"]), weights["encoder.pos_embedding"].shape[1] - 1
    except (KeyError, ValueError, IndexError):  # not such a file: `load_state_dict` lists the differences to ViT-B/16
        model = ViT()
    else:
        heads = max(1, size // 64)
        model = ViT(size, heads, hidden, layers, classes=classes, channels=channels, patch=patch, patches=patches)
    model.load_state_dict(weights)
    return model.eval()


@torch.no_grad()
def classify(model: nn.Module, image: str) -> None:
    """Print the most likely classes of an image file, by their numbers in ImageNet."""
    from PIL import Image  # pip install pillow

    pixels = np.asarray(Image.open(image).convert("RGB").resize((224, 224))) / 255
    pixels = torch.from_numpy((pixels - MEAN) / DEVIATION).float().permute(2, 0, 1)
    best = model(pixels[None])[0].softmax(0).topk(5)
    for probability, number in zip(best.values.tolist(), best.indices.tolist()):
        print(f"class {number:3d}: {100 * probability:.1f} %")


def draw_weights(model: nn.Module, generator: np.random.Generator) -> None:
    """Draw all parameters but vectors from NumPy's generator: the same ones for a seed in every library."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim > 1:
                bound = (6.0 / (parameter.shape[0] + parameter[0].numel())) ** 0.5
                parameter.copy_(torch.from_numpy(generator.uniform(-bound, bound, tuple(parameter.shape))))
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)


def digits(generator: np.random.Generator) -> tuple[TensorDataset, TensorDataset]:
    """Return images and labels for the training, and those that are held out."""
    pixels, classes = load_digits(return_X_y=True)
    order = torch.from_numpy(generator.permutation(len(pixels)))
    images = torch.from_numpy(pixels).to(torch.get_default_dtype()).view(-1, 1, PIXELS, PIXELS)[order] / 16
    classes = torch.from_numpy(classes).long()[order]
    kept = len(images) * 4 // 5
    return TensorDataset(images[:kept], classes[:kept]), TensorDataset(images[kept:], classes[kept:])


def batches(dataset: TensorDataset, generator: np.random.Generator):
    """Yield batches without end, in a new random order in each pass over the data."""
    while True:
        order = generator.permutation(len(dataset)).tolist()
        yield from DataLoader(dataset, batch_size=BATCH, sampler=order, drop_last=True)


@torch.no_grad()
def accuracy(model: nn.Module, dataset: TensorDataset) -> float:
    """Return the fraction of digits that are classified correctly."""
    model.eval()
    right = sum((model(images).argmax(1) == classes).sum().item() for images, classes in DataLoader(dataset, 256))
    model.train()
    return right / len(dataset)


def learn(model: ViT, optimizer: torch.optim.Optimizer, images, classes):
    """Take a training step, and return its loss."""
    loss = F.cross_entropy(model(images), classes, label_smoothing=0.1)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.detach()


def train(options: argparse.Namespace) -> list[float]:
    """Train, print the progress, and return the loss of each step."""
    torch.set_default_dtype(getattr(torch, options.dtype))
    generator = np.random.default_rng(options.seed)
    training, held_out = digits(generator)

    model = for_digits(options.size)
    draw_weights(model, generator)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=3e-3, total_steps=options.steps + 1)

    losses = []
    for step, (images, classes) in zip(range(options.steps), batches(training, generator)):
        loss = learn(model, optimizer, images, classes)
        schedule.step()
        losses.append(loss.item())
        if step % 20 == 0 or step == options.steps - 1:
            print(f"step {step:4d}   loss {losses[-1]:.4f}")
    print(f"{100 * accuracy(model, held_out):.1f} % of {len(held_out)} held-out digits are classified correctly")
    return losses


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=300, help="training steps (%(default)s)")
    parser.add_argument("--size", type=int, default=48, help="numbers per patch (%(default)s)")
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float32", help="(%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of weights and order (%(default)s)")
    parser.add_argument("--weights", metavar="FILE", help="load these weights and classify an image instead")
    parser.add_argument("--image", metavar="FILE", help="the image")
    return parser


if __name__ == "__main__":
    parser = arguments()
    options = parser.parse_args()
    if min(options.steps, options.size) < 1 or options.seed < 0:
        parser.error("expected --steps and --size of at least 1, and --seed of at least 0")
    if options.size % 4:
        parser.error(f"expected --size to be a multiple of 4, the number of heads; got {options.size}")
    for option in ("weights", "image"):
        if (options.weights or options.image) and not Path(getattr(options, option) or "").is_file():
            parser.error(f"expected a file for --{option}; got {getattr(options, option)}")
    if options.weights:
        try:
            model = pretrained(options.weights)
        except RuntimeError as error:  # tensors of another network
            parser.error(f"--weights {options.weights}: {error}")
        classify(model, options.image)
    else:
        train(options)
