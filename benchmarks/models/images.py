"""Convolutional networks for images: AlexNet, VGG-19, ResNet-50 and MobileNet, with batches of random images.

Each architecture is a table. `width` scales the number of channels, for tests. Dropout layers are left out, because the
generators of both libraries differ. Networks with batch normalization amplify rounding errors with each step, so their
rate is small: losses of both libraries stay comparable.
"""

from __future__ import annotations

from typing import Any

from .training import Training, classification, indices, pixels

# Convolutions (channels, kernel, stride, padding), and poolings (kernel, stride).
ALEXNET = (
    (64, 11, 4, 2), (3, 2), (192, 5, 1, 2), (3, 2), (384, 3, 1, 1), (256, 3, 1, 1), (256, 3, 1, 1), (3, 2)
)  # fmt: skip
VGG19 = tuple(
    layer
    for channels, count in ((64, 2), (128, 2), (256, 4), (512, 4), (512, 4))
    for layer in (*[(channels, 3, 1, 1)] * count, (2, 2))
)
RESNET50 = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))  # stages: channels, blocks, stride of the first
MOBILENET = (
    (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)
)  # fmt: skip  # pairs of a depthwise and a 1x1 convolution: channels, stride


def trained(F: Any, model: Any, batch: int, size: int, classes: int, rate: float) -> Training:
    """Return the training of an image classifier with SGD with momentum."""
    optimizer = F.optim.SGD(model.parameters(), lr=rate, momentum=0.9)
    return classification(F, model, optimizer, pixels(F, batch, 3, size, size), indices(F, classes, batch))


def without_norms(
    F: Any, table: Any, grid: int, *, batch: int, size: int, width: float, hidden: int, classes: int, rate: float
) -> Training:
    """Return a network of convolutions and poolings with three linear layers at the end, as AlexNet and VGG."""
    nn, layers, inputs = F.nn, [], 3
    for layer in table:
        if len(layer) == 2:
            layers.append(nn.MaxPool2d(*layer))
        else:
            outputs = int(layer[0] * width)
            layers += [nn.Conv2d(inputs, outputs, *layer[1:]), nn.ReLU(inplace=True)]
            inputs = outputs
    layers += [nn.AdaptiveAvgPool2d(grid), nn.Flatten(), nn.Linear(inputs * grid * grid, hidden), nn.ReLU(inplace=True)]
    layers += [nn.Linear(hidden, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, classes)]
    return trained(F, nn.Sequential(*layers), batch, size, classes, rate)


def alexnet(F: Any, *, batch=32, size=224, width=1.0, hidden=4096, classes=1000, rate=0.001) -> Training:
    """AlexNet with one tower, as in torchvision (Krizhevsky, "One weird trick", 2014)."""
    sizes = dict(batch=batch, size=size, width=width, hidden=hidden, classes=classes, rate=rate)
    return without_norms(F, ALEXNET, 6, **sizes)


def vgg19(F: Any, *, batch=4, size=224, width=1.0, hidden=4096, classes=1000, rate=0.001) -> Training:
    """VGG-19 without normalization (Simonyan and Zisserman 2015, configuration E)."""
    sizes = dict(batch=batch, size=size, width=width, hidden=hidden, classes=classes, rate=rate)
    return without_norms(F, VGG19, 7, **sizes)


def normed(F: Any, inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1) -> list[Any]:
    """Return a convolution without bias that keeps the size, and its normalization."""
    convolution = F.nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
    return [convolution, F.nn.BatchNorm2d(outputs)]


def resnet50(F: Any, *, batch=8, size=224, width=1.0, classes=1000, rate=1e-5) -> Training:
    """ResNet-50 with the stride in the 3x3 convolutions, as in torchvision (He et al. 2015)."""
    nn = F.nn

    class Bottleneck(nn.Module):
        def __init__(self, inputs, channels, stride):
            super().__init__()
            outputs, relu = 4 * channels, nn.ReLU(inplace=True)
            self.body = nn.Sequential(
                *normed(F, inputs, channels, 1), relu, *normed(F, channels, channels, 3, stride), relu,
                *normed(F, channels, outputs, 1),
            )  # fmt: skip
            nn.init.zeros_(self.body[-1].weight)  # blocks begin as identities, which keeps gradients small
            changes = stride != 1 or inputs != outputs
            self.shortcut = nn.Sequential(*normed(F, inputs, outputs, 1, stride)) if changes else nn.Identity()
            self.relu = relu

        def forward(self, x):
            return self.relu(self.body(x) + self.shortcut(x))

    inputs = int(64 * width)
    layers = [*normed(F, 3, inputs, 7, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1)]
    for channels, count, stride in RESNET50:
        for number in range(count):
            layers.append(Bottleneck(inputs, int(channels * width), 1 if number else stride))
            inputs = 4 * int(channels * width)
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, classes)]
    return trained(F, nn.Sequential(*layers), batch, size, classes, rate)


def mobilenet(F: Any, *, batch=16, size=224, width=1.0, classes=1000, rate=1e-6) -> Training:
    """MobileNet with separable convolutions (Howard et al. 2017)."""
    nn, inputs = F.nn, int(32 * width)
    layers = [*normed(F, 3, inputs, 3, 2), nn.ReLU(inplace=True)]
    for channels, stride in MOBILENET:
        outputs = int(channels * width)
        layers += [*normed(F, inputs, inputs, 3, stride, inputs), nn.ReLU(inplace=True)]
        layers += [*normed(F, inputs, outputs, 1), nn.ReLU(inplace=True)]
        inputs = outputs
    layers += [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, classes)]
    return trained(F, nn.Sequential(*layers), batch, size, classes, rate)
