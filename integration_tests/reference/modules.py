"""The repr, state dict and results of modules, with parameters derived from their names.

Each case is a module's class, its arguments, and the shape of an input. Parameters and buffers are filled with a
pattern, so that results show whether each argument was used correctly.
"""

from __future__ import annotations

import math

CASES = [
    ("Linear", (3, 2), {}, (4, 3)),
    ("Linear", (3, 2), {"bias": False}, (2, 2, 3)),
    ("Conv2d", (2, 3, 3), {}, (2, 2, 5, 6)),
    ("Conv2d", (2, 4, (3, 2)), {"stride": (2, 1), "padding": (1, 0), "groups": 2, "bias": False}, (1, 2, 6, 5)),
    ("Conv2d", (1, 2, 3), {"padding": "same", "dilation": 2}, (1, 1, 6, 6)),
    ("Conv2d", (1, 2, 3), {"padding": "valid"}, (1, 4, 4)),
    ("ConvTranspose2d", (2, 3, 3), {}, (2, 2, 3, 4)),
    ("ConvTranspose2d", (2, 4, 2), {"stride": 2, "padding": 1, "output_padding": 1, "groups": 2}, (1, 2, 3, 3)),
    ("ConvTranspose2d", (1, 2, 3), {"dilation": (1, 2), "bias": False}, (1, 3, 3)),
    ("MaxPool2d", (2,), {}, (2, 2, 4, 6)),
    ("MaxPool2d", (3,), {"stride": 2, "padding": 1, "ceil_mode": True}, (1, 2, 6, 6)),
    ("MaxPool2d", ((2, 1),), {"stride": (1, 2), "dilation": (2, 1)}, (1, 5, 5)),
    ("AvgPool2d", (2,), {}, (2, 2, 4, 6)),
    ("AvgPool2d", (3,), {"stride": 2, "padding": 1, "ceil_mode": True, "count_include_pad": False}, (1, 2, 6, 6)),
    ("AvgPool2d", ((2, 3),), {"divisor_override": 5}, (1, 2, 4, 6)),
    ("AdaptiveAvgPool2d", (1,), {}, (2, 3, 4, 5)),
    ("AdaptiveAvgPool2d", ((2, None),), {}, (2, 3, 5, 4)),
    ("BatchNorm1d", (3,), {}, (5, 3)),
    ("BatchNorm1d", (3,), {"eps": 0.1, "momentum": 0.3}, (4, 3, 2)),
    ("BatchNorm1d", (3,), {"affine": False}, (5, 3)),
    ("BatchNorm1d", (3,), {"track_running_stats": False}, (5, 3)),
    ("BatchNorm2d", (2,), {}, (3, 2, 2, 3)),
    ("BatchNorm2d", (2,), {"momentum": None}, (3, 2, 2, 3)),
    ("BatchNorm2d", (2,), {"bias": False}, (3, 2, 2, 3)),
    ("BatchNorm3d", (2,), {}, (3, 2, 2, 1, 3)),
    ("LayerNorm", (4,), {}, (3, 4)),
    ("LayerNorm", ((3, 4),), {"bias": False}, (2, 3, 4)),
    ("RMSNorm", (4,), {}, (3, 4)),
    ("GroupNorm", (2, 4), {}, (3, 4, 2)),
    ("Dropout", (0.3,), {}, None),
    ("Dropout", (0.0,), {"inplace": False}, (3, 4)),
    ("Flatten", (), {}, (2, 3, 2)),
    ("Flatten", (0, 1), {}, (2, 3, 2)),
    ("Unflatten", (1, (2, 3)), {}, (2, 6)),
    ("Unflatten", (-2, (3, -1)), {}, (6, 2)),
    ("Identity", (), {}, (2, 3)),
    ("ReLU", (), {}, (3, 4)),
    ("ReLU", (), {"inplace": True}, (3, 4)),
    ("ReLU6", (), {}, (3, 4)),
    ("ReLU6", (True,), {}, (3, 4)),
    ("LeakyReLU", (), {}, (3, 4)),
    ("LeakyReLU", (0.2,), {"inplace": True}, (3, 4)),
    ("ELU", (), {}, (3, 4)),
    ("ELU", (1.5,), {"inplace": True}, (3, 4)),
    ("GELU", (), {}, (3, 4)),
    ("GELU", ("tanh",), {}, (3, 4)),
    ("SiLU", (), {}, (3, 4)),
    ("SiLU", (True,), {}, (3, 4)),
    ("Sigmoid", (), {}, (3, 4)),
    ("Tanh", (), {}, (3, 4)),
    ("Softplus", (), {}, (3, 4)),
    ("Softplus", (3.0, 2.0), {}, (3, 4)),
    ("Hardtanh", (), {}, (3, 4)),
    ("Hardtanh", (-0.5, 0.7), {"inplace": True}, (3, 4)),
    ("Softmax", (), {"dim": 1}, (3, 4)),
    ("Softmax", (-2,), {}, (3, 4)),
    ("LogSoftmax", (1,), {}, (3, 4)),
    ("LogSigmoid", (), {}, (3, 4)),
]

LOSSES = [
    ("CrossEntropyLoss", {}, "classes"),
    ("CrossEntropyLoss", {"reduction": "sum", "ignore_index": 2, "label_smoothing": 0.1}, "classes"),
    ("CrossEntropyLoss", {"size_average": False}, "classes"),
    ("CrossEntropyLoss", {"reduce": False}, "classes"),
    ("CrossEntropyLoss", {"weight": 4}, "classes"),
    ("CrossEntropyLoss", {}, "numbers"),
    ("NLLLoss", {}, "classes"),
    ("NLLLoss", {"weight": 4, "ignore_index": 1, "reduction": "none"}, "classes"),
    ("MSELoss", {}, "numbers"),
    ("MSELoss", {"reduction": "sum"}, "numbers"),
    ("L1Loss", {"reduction": "none"}, "numbers"),
    ("SmoothL1Loss", {}, "numbers"),
    ("SmoothL1Loss", {"beta": 0.3, "reduction": "sum"}, "numbers"),
    ("HuberLoss", {}, "numbers"),
    ("HuberLoss", {"delta": 0.3, "reduction": "none"}, "numbers"),
    ("BCELoss", {}, "probabilities"),
    ("BCELoss", {"weight": 4, "reduction": "sum"}, "probabilities"),
    ("BCEWithLogitsLoss", {}, "probabilities"),
    ("BCEWithLogitsLoss", {"pos_weight": 4, "weight": 4}, "probabilities"),
    ("KLDivLoss", {"reduction": "batchmean"}, "probabilities"),
    ("KLDivLoss", {"reduction": "sum", "log_target": True}, "numbers"),
]


def pattern(library, shape, start: float):
    """Return numbers between -2 and 2 that depend on their positions."""
    listed = [2 * math.sin(start + 1.7 * k) for k in range(math.prod(shape))]
    return library.tensor(listed, dtype=library.float64).reshape(shape)


def numbers(tensor) -> list[float]:
    """Return all elements, rounded to the compared precision."""
    return [round(number, 9) for number in tensor.detach().double().reshape(-1).tolist()]


def fill(library, module) -> None:
    """Fill parameters and buffers with their pattern; variances are positive, counts do not change."""
    for place, (name, tensor) in enumerate(module.state_dict().items()):
        if tensor.dtype.is_floating_point:
            values = pattern(library, tuple(tensor.shape), place + 1.0)
            tensor.copy_(values.abs() + 0.5 if name.endswith("var") else values)


def described(module) -> dict:
    """Return the repr and the keys of the state dict."""
    state = {name: [str(tensor.dtype).split(".")[-1], *tensor.shape] for name, tensor in module.state_dict().items()}
    return {"repr": repr(module), "state": state}


def computed(library, module, *inputs) -> dict:
    """Return results, the gradients of their sum, and the buffers afterwards."""
    leaf = inputs[0].requires_grad_()
    out = module(leaf * 1, *inputs[1:])
    (out * pattern(library, tuple(out.shape), 0.3)).sum().backward()
    found = {"shape": list(out.shape), "out": numbers(out), "input": numbers(leaf.grad)}
    found |= {name: numbers(parameter.grad) for name, parameter in module.named_parameters()}
    return found | {name: numbers(buffer) for name, buffer in module.named_buffers()}


def layer(library, name, args, kwargs, shape) -> dict:
    """Return all answers for one layer, in training and in evaluation."""
    module = getattr(library.nn, name)(*args, **kwargs)
    found = described(module)
    if shape is not None:
        module.double()
        fill(library, module)
        found["training"] = computed(library, module, pattern(library, shape, 0.0))
        module.zero_grad()
        found["evaluation"] = computed(library, module.eval(), pattern(library, shape, 0.5))
    return found


def loss(library, name, kwargs, target) -> dict:
    """Return all answers for one loss."""
    kwargs = {key: pattern(library, (value,), 1.0).abs() if "weight" in key else value for key, value in kwargs.items()}
    module = getattr(library.nn, name)(**kwargs)
    input, number = pattern(library, (5, 4), 0.0), pattern(library, (5, 4), 2.0)
    if name == "BCELoss":
        input = library.sigmoid(input)
    targets = {
        "classes": lambda: library.tensor([3, 0, 2, 1, 2]),
        "numbers": lambda: number,
        "probabilities": lambda: library.sigmoid(number),
    }
    return described(module) | computed(library, module, input, targets[target]())


def answers(library) -> dict:
    """Return one answer for each case, under a descriptive name."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # older ways to say `reduction`
        found = {f"{row[0]}{row[1:]}": layer(library, *row) for row in CASES}
        return found | {f"{row[0]}{row[1:]}": loss(library, *row) for row in LOSSES}
