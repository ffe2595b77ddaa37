"""Draws the pictures of the gallery, docs/pictures/, from runs of the examples and tutorials: `pictures.py [NAME ...]`.

It needs matplotlib and scikit-learn, takes a few minutes, and is run by hand when an example changes.
"""

import argparse
import contextlib
import io
import re
import runpy
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import facula.as_torch  # noqa: F401  examples import torch

DOCS = Path(__file__).resolve().parents[1]
PLACE = DOCS / "pictures"
GREY, BLUE, ORANGE = "#888888", "#3a78b5", "#d9822b"  # readable on light and dark pages


def axes(name, title, x="", y=""):
    """Return axes of a small figure in the style of the gallery; `save` writes it."""
    from matplotlib import pyplot

    style = dict.fromkeys(["text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color"], GREY)
    pyplot.rcParams.update({**style, "svg.fonttype": "none", "svg.hashsalt": "facula", "font.size": 9})
    figure, found = pyplot.subplots(figsize=(3.6, 2.4), layout="constrained")
    found.set(title=title, xlabel=x, ylabel=y)
    found.spines[["top", "right"]].set_visible(False)
    figure.name = name
    return found


def save(found):
    """Write the figure of the axes."""
    metadata = {"Date": None, "Creator": None}
    found.figure.savefig(PLACE / f"{found.figure.name}.svg", transparent=True, metadata=metadata)


def run(name, **changes):
    """Run a program of examples/ with its defaults; return its losses and what it printed."""
    program = import_module(name)
    options = program.arguments().parse_args([])
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        losses = program.train(argparse.Namespace(**{**vars(options), **changes}))
    return losses, printed.getvalue()


def losses_of(name, title):
    """Draw the loss of each step, averaged over a few."""
    losses, _ = run(name)
    few = max(len(losses) // 100, 1)
    means = [sum(losses[start : start + few]) / few for start in range(0, len(losses) - few + 1, few)]
    found = axes(name, title, "step", "loss")
    found.plot(range(0, few * len(means), few), means, color=BLUE)
    save(found)


def numbers_of(name, pattern, title, y):
    """Draw a number that the program prints."""
    printed = re.findall(pattern, run(name)[1])
    found = axes(name, title, "step", y)
    found.plot([int(step) for step, _ in printed], [float(number) for _, number in printed], color=ORANGE, marker=".")
    save(found)


def dcgan():
    """Draw the digits that the program prints as letters."""
    shades = import_module("dcgan").SHADES
    rows = [[shades.index(letter) for letter in line[::2]] for line in run("dcgan")[1].splitlines()[-8:]]
    found = axes("dcgan", "Generated digits")
    found.imshow(rows, cmap="gray", interpolation="nearest")
    found.axis("off")
    save(found)


def hogwild():
    """Draw the errors of one process, and of four without locks, after the same number of steps of all together."""
    command = [sys.executable, "-m", "facula", "run", str(DOCS.parent / "examples" / "hogwild.py"), "--steps"]
    numbers, errors = (100, 200, 400, 800, 1600, 3200), ([], [])
    for steps in numbers:
        lines = subprocess.run([*command, str(steps)], capture_output=True, text=True, check=True).stdout.splitlines()
        for column, line in zip(errors, lines, strict=True):
            column.append(100 - 100 * float(line.rpartition(" ")[2]))
    found = axes("hogwild", "Misread digits", "steps of all processes together", "%")
    found.plot(numbers, errors[0], color=BLUE, marker=".", label="one process")
    found.plot(numbers, errors[1], color=ORANGE, marker=".", label="four processes, no locks")
    found.set_xscale("log")
    found.set_xticks(numbers, numbers)
    found.minorticks_off()
    found.set_ylim(bottom=0)
    found.legend(frameon=False)
    save(found)


def ranks(name, title, edges, at):
    """Draw processes and the messages between them."""
    found = axes(name, title)
    for start, end in edges:
        style = {"arrowstyle": "-|>", "color": GREY, "shrinkA": 16, "shrinkB": 16, "connectionstyle": "arc3,rad=0.15"}
        found.annotate("", at[end], at[start], arrowprops=style)
    for name_, (x, y) in at.items():
        found.text(x, y, name_, ha="center", va="center", bbox={"boxstyle": "round", "fc": BLUE}, color="white")
    found.set(xlim=(-1.6, 1.6), ylim=(-1.4, 1.4))
    found.axis("off")
    save(found)


def ring():
    at = {"rank 0": (0, 1), "rank 1": (1.1, 0), "rank 2": (0, -1), "rank 3": (-1.1, 0)}
    names = list(at)
    ranks("ring", "Sums around a ring", [(start, names[place - 3]) for place, start in enumerate(names)], at)


def parameter_server():
    at = {"server": (0, 0.9), "worker 1": (-0.9, -0.8), "worker 2": (0.9, -0.8)}
    edges = [("server", name) for name in list(at)[1:]] + [(name, "server") for name in list(at)[1:]]
    ranks("parameter_server", "Gradients to a server, parameters back", edges, at)


def tutorial(name):
    """Run the blocks of a tutorial, and return its variables."""
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / "tutorials" / f"{name}.md").read_text(), re.M | re.S)
    variables = {"__name__": "tutorial"}
    with contextlib.redirect_stdout(io.StringIO()):
        exec("\n".join(blocks), variables)
    return variables


def resumable():
    """Draw the losses of training and validation."""
    path = DOCS.parent / "examples" / "resumable.py"
    with TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        sys.argv = [str(path), folder]
        variables = runpy.run_path(str(path))
    found = axes("resumable", "Early stopping", "step", "loss")
    losses, validation = variables["losses"], variables["validation"]
    found.plot(range(0, len(losses), 5), losses[::5], color=BLUE, linewidth=0.7, label="training")
    found.plot(range(44, len(losses) + 1, 44), validation, color=ORANGE, label="validation")
    found.legend(frameon=False)
    save(found)


def series():
    variables = tutorial("series")
    known = variables["inputs"][variables["past"]].flatten().tolist()
    found = axes("series", "Forecast of 30 steps", "step")
    found.plot(range(-len(known), 30), known + variables["truth"], color=GREY, label="series")
    found.plot(range(30), variables["forecast"], color=ORANGE, label="forecast")
    found.axvline(-0.5, color=GREY, linewidth=0.7, linestyle=":")
    found.set_ylim(top=2.2)
    found.legend(frameon=False, ncols=2, loc="upper left")
    save(found)


def physics():
    variables = tutorial("physics")
    found = axes("physics", "Temperature of a rod", "time", "place")
    found.imshow(variables["found"].numpy(), origin="lower", extent=(0, 1, 0, 1), aspect="auto", cmap="inferno")
    save(found)


PICTURES = {
    "lstm": lambda: losses_of("lstm", "An LSTM memorizes a sonnet"),
    "gpt": lambda: losses_of("gpt", "A GPT learns verse"),
    "resnet": lambda: losses_of("resnet", "A ResNet reads digits"),
    "vit": lambda: losses_of("vit", "A ViT reads digits"),
    "actor_critic": lambda: numbers_of(
        "actor_critic", r"step +(\d+) .*?([\d.]+) moves", "Moves that the pole stays up", "moves"
    ),
    "gcn": lambda: numbers_of("gcn", r"step +(\d+) .*?(\d+) of", "Members assigned to their side", "members"),
    "dcgan": dcgan,
    "hogwild": hogwild,
    "ring": ring,
    "parameter_server": parameter_server,
    "resumable": resumable,
    "series": series,
    "physics": physics,
}

if __name__ == "__main__":
    sys.path.insert(0, str(DOCS.parent / "examples"))
    PLACE.mkdir(exist_ok=True)
    for name in sys.argv[1:] or list(PICTURES):
        PICTURES[name]()
        print(name, (PLACE / f"{name}.svg").stat().st_size, "bytes", flush=True)
