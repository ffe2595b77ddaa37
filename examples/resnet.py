"""ResNet-18 with torchvision's parameter names: trains a narrow one on handwritten digits, or loads a trained one.

    python examples/resnet.py                                              with PyTorch
    python -m facula run examples/resnet.py                                with facula
    python -m facula run examples/resnet.py --weights resnet18.pth --image cat.jpg

The digits are scikit-learn's, enlarged to 32 by 32 pixels; a fifth of them is held out. With `--weights` the program
loads a .pth or .safetensors file in torchvision's format, and prints the most likely classes of an image.
"""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits  # pip install scikit-learn

BATCH = 32
MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of the colors of ImageNet


def convolution(inputs: int, outputs: int, kernel: int, stride: int) -> nn.Conv2d:
    return nn.Conv2d(inputs, outputs, kernel, stride, padding=kernel // 2, bias=False)


class Block(nn.Module):
    """Two convolutions whose result is added to the input."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = convolution(inputs, outputs, 3, stride)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = convolution(outputs, outputs, 3, 1)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(convolution(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))

    def forward(self, x):
        shortcut = x if self.downsample is None else self.downsample(x)
        x = F.relu(self.bn1(self.conv1(x)))
        return F.relu(self.bn2(self.conv2(x)) + shortcut)


class ResNet18(nn.Module):
    """Scores of classes for images: (batch, 3, height, width) to (batch, classes)."""

    def __init__(self, classes: int = 1000, width: int = 64) -> None:
        super().__init__()
        self.conv1 = convolution(3, width, 7, 2)
        self.bn1 = nn.BatchNorm2d(width)
        self.layer1 = nn.Sequential(Block(width, width, 1), Block(width, width, 1))
        self.layer2 = nn.Sequential(Block(width, 2 * width, 2), Block(2 * width, 2 * width, 1))
        self.layer3 = nn.Sequential(Block(2 * width, 4 * width, 2), Block(4 * width, 4 * width, 1))
        self.layer4 = nn.Sequential(Block(4 * width, 8 * width, 2), Block(8 * width, 8 * width, 1))
        self.fc = nn.Linear(8 * width, classes)

    def forward(self, images):
        x = F.max_pool2d(F.relu(self.bn1(self.conv1(images))), 3, 2, padding=1)
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(x.mean((2, 3)))


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


def pretrained(path: str) -> ResNet18:
    """Return a network with the weights, and the sizes, of a file."""
    weights = read(path)
    sized = "fc.bias" in weights and "bn1.weight" in weights
    network = ResNet18(len(weights["fc.bias"]), len(weights["bn1.weight"])) if sized else ResNet18()
    network.load_state_dict(weights)
    return network.eval()


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
    """Draw all matrices and filters from NumPy's generator: the same ones for a seed in every library."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim > 1:
                drawn = generator.standard_normal(tuple(parameter.shape))
                parameter.copy_(torch.from_numpy(drawn) * (2 / parameter[0].numel()) ** 0.5)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)


def digits(generator: np.random.Generator):
    """Return images and classes in a random order."""
    pixels, classes = load_digits(return_X_y=True)
    order = generator.permutation(len(pixels))
    images = torch.from_numpy(pixels[order]).to(torch.get_default_dtype()).view(-1, 1, 8, 8) / 16
    images = F.interpolate(images, scale_factor=4, mode="bilinear").expand(-1, 3, -1, -1).contiguous()
    return images, torch.from_numpy(classes[order]).long()


@torch.no_grad()
def accuracy(model: nn.Module, images, classes) -> float:
    """Return the fraction of images that are classified correctly."""
    model.eval()
    right = (model(images).argmax(1) == classes).float().mean().item()
    model.train()
    return right


def learn(model: nn.Module, optimizer: torch.optim.Optimizer, images, classes):
    """Take a training step, and return its loss."""
    loss = F.cross_entropy(model(images), classes)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.detach()


def train(options: argparse.Namespace) -> list[float]:
    """Train, print the progress, and return the loss of each step."""
    torch.set_default_dtype(getattr(torch, options.dtype))
    generator = np.random.default_rng(options.seed)
    images, classes = digits(generator)
    held_out = len(images) // 5

    model = ResNet18(10, options.size)
    draw_weights(model, generator)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, options.steps)

    losses = []
    for step in range(options.steps):
        chosen = torch.from_numpy(generator.integers(held_out, len(images), BATCH))
        losses.append(learn(model, optimizer, images[chosen], classes[chosen]).item())
        schedule.step()
        if step % 20 == 0 or step == options.steps - 1:
            print(f"step {step:4d}   loss {losses[-1]:.4f}")
    right = accuracy(model, images[:held_out], classes[:held_out])
    print(f"{100 * right:.1f} % of {held_out} held-out digits are classified correctly")
    return losses


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=200, help="training steps (%(default)s)")
    parser.add_argument("--size", type=int, default=16, help="channels of the first layers (%(default)s)")
    parser.add_argument("--dtype", choices=["float32", "float64"], default="float32", help="(%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of weights and batches (%(default)s)")
    parser.add_argument("--weights", metavar="FILE", help="load these weights and classify an image instead")
    parser.add_argument("--image", metavar="FILE", help="the image")
    return parser


if __name__ == "__main__":
    parser = arguments()
    options = parser.parse_args()
    if min(options.steps, options.size) < 1 or options.seed < 0:
        parser.error("expected --steps and --size of at least 1, and --seed of at least 0")
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
