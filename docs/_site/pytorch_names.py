"""Writes the pages that say of each public name of PyTorch whether facula has it: present, different, refused, absent.

The names are those of `_pytorch.txt` in three packages. Whether a name exists is read from facula itself, the remedies
from its errors, and the differences from the table in docs/tutorials/coming-from-pytorch.md.
"""

import re
import warnings
from collections import Counter
from functools import cache, reduce
from importlib import import_module

from reference import CODE, PLACE, ROOT, is_refused

import facula
import facula_nn
import facula_tensor
from facula_tensor.extend.names import PyTorchNames

LISTS = {
    "torch.Tensor": PyTorchNames(facula_tensor.__file__),
    "torch.nn.Module": PyTorchNames(facula_nn.__file__),
}
FACE = PyTorchNames(facula.__file__)
# Pages with the modules on them; a module is on the page with the longest name that its own begins with.
PAGES = {
    "torch": "torch",
    "torch.Tensor": "torch.Tensor",
    "torch.nn": "torch.nn",
    "torch.nn.functional": "torch.nn.functional",
    "torch.optim": "torch.optim",
    "torch.utils": "torch.utils and torch.utils.data",
    "torch.autograd": "torch.autograd",
    "torch.distributions": "torch.distributions",
    "torch.distributed": "torch.distributed",
    "torch.cuda": "torch.cuda",
}
SHARED = {  # modules on a page with others
    "mathematics": ("linalg, fft, special and func", "torch.linalg torch.fft torch.special torch.func"),
    "others": ("Other modules", ""),
}
STATUSES = ("present", "different", "refused", "absent")
TUTORIAL = ROOT / "docs" / "tutorials" / "coming-from-pytorch.md"
# Modules that the first column of the table of differences leaves out before names.
SHORT = ("torch", "torch.Tensor", "torch.nn", "torch.nn.functional", "torch.nn.attention", "torch.optim",
         "torch.optim.lr_scheduler", "torch.utils.data")  # fmt: skip
# Rows of the table whose first column has no name, or only parts of the names, by the words they begin with.
TOPICS = {
    "float32 convolutions": "nn.Conv2d nn.functional.conv2d conv2d",
    "pooling windows": "nn.MaxPool1d nn.MaxPool2d nn.MaxPool3d nn.functional.max_pool1d nn.functional.max_pool2d"
    " nn.functional.max_pool3d",
    "indices, targets": "nn.functional.cross_entropy nn.functional.nll_loss gather scatter index_select",
    "collating numbers": "utils.data.default_collate",
    "strings in samples": "utils.data.default_collate",
    "order of a": "utils.data.DataLoader",
    "`num_workers": "utils.data.DataLoader",
    "random numbers": "manual_seed rand randn randint randperm Generator",
    "number of threads": "set_num_threads",
    "infinite or NaN": "optim.Optimizer",
    "parameters that share": "optim.Optimizer",
    "parameters of half": "optim.Optimizer",
    "`_load_from_state_dict": "nn.Module.load_state_dict",
    "state of a BatchNorm": "nn.BatchNorm1d nn.BatchNorm2d nn.BatchNorm3d",
    "loading a module with hooks": "load",
    "`any`, `all` with": "any all Tensor.any Tensor.all",
    "`prod`, `max()`": "prod max amax Tensor.prod Tensor.max Tensor.amax",
    "`layout` and": "empty zeros ones full rand randn",
    "`model.double": "nn.Module.double",
    "`@no_grad": "no_grad",
    "strides of results": "clone empty_like Tensor.clone",
}


def places():
    """Return PyTorch's modules, and the two classes, whose names are listed."""
    text = (ROOT / "packages" / "facula" / "src" / "facula" / "_pytorch.txt").read_text()
    return [*re.findall(r"^\[(torch\S*)\]", text, re.MULTILINE), *LISTS]


@cache
def names_of(place):
    """Return PyTorch's public names of a module or class."""
    return LISTS.get(place, FACE).names(place)


@cache
def owner_of(place):
    """Return facula's module or class for PyTorch's; None if there is none."""
    path = place.replace("torch", "facula", 1)
    try:
        return reduce(getattr, path.split(".")[1:], facula) if place in LISTS else import_module(path)
    except ImportError:
        return None


@cache
def differences():
    """Return the rows of the table of differences, by the names that they concern."""
    table = TUTORIAL.read_text().partition("## Differences from PyTorch")[2].partition("\n## ")[0]
    found = {}
    for line in table.splitlines()[4:]:
        if not line.startswith("| "):
            continue
        topic, theirs, ours, _ = (cell.strip() for cell in line.strip("| ").split(" | "))
        words = [re.match(r"[\w.]*", code)[0] for code in re.findall(r"`([^`]+)`", topic)]
        named = next((names for start, names in TOPICS.items() if topic.startswith(start)), "").split()
        wholes = [f"torch.{name}" for name in named]
        for word in words if not named else ():
            inner, _, last = f".{word}".rpartition(".")
            wholes += [f"{place}.{last}" for place in SHORT if place.endswith(inner) and last in names_of(place)]
        for whole in wholes:
            found.setdefault(whole, []).append((topic, theirs, ours))
    return found


def status(place, name):
    """Return the status of a name and a note: a remedy, or a difference."""
    whole = f"{place}.{name}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated names warn
        try:
            value = getattr(owner_of(place), name)
        except (AttributeError, ImportError):
            return "absent", LISTS.get(place, FACE).advice(whole)
    if is_refused(value) or "constructor raises NotImplementedError" in (getattr(value, "__doc__", None) or ""):
        return "refused", remedy(value)
    return ("different" if whole in differences() else "present"), ""


def remedy(refused):
    """Return what the error of a refused name says to do."""
    try:
        refused()
    except NotImplementedError as error:
        text = str(error)
        return text.partition("facula not yet; ")[2] or text.rpartition("; ")[2]
    raise AssertionError(f"expected {refused!r} to be refused")


def page_of(place):
    """Return the page with the names of a module."""
    shared = next((page for page, (_, modules) in SHARED.items() if place in modules.split()), None)
    fitting = [page for page in PAGES if place == page or (place.startswith(f"{page}.") and page != "torch")]
    return shared or max(fitting, key=len, default="others")


def link(place, name):
    """Return a link to the description of a name; code where there is none."""
    return f"{{py:obj}}`{name} <{place.replace('torch', 'facula', 1)}.{name}>`"


def section(place):
    """Return the section about a module, and how many names have which status."""
    found = {status_: [] for status_ in STATUSES}
    for name in sorted(names_of(place)):
        kind, note = status(place, name)
        found[kind].append((name, note))
    counts = Counter({kind: len(names) for kind, names in found.items()})
    shown = ", ".join(f"{counts[kind]} {kind}" for kind in STATUSES if counts[kind])
    text = f"## {plain(place)}\n\n{shown}.\n\n"
    if found["present"]:
        text += "**Present:** " + ", ".join(link(place, name) for name, _ in found["present"]) + "\n\n"
    if found["different"]:
        text += "| different | PyTorch | facula |\n| --- | --- | --- |\n"
        for name, _ in found["different"]:
            for topic, theirs, ours in differences()[f"{place}.{name}"]:
                text += f"| {link(place, name)}: {topic} | {theirs} | {ours} |\n".replace("](../", "](../../")
        text += "\n"
    for kind in ("refused", "absent"):
        notes = {}
        for name, note in found[kind]:
            notes.setdefault(note, []).append(f"`{name}`")
        if notes:
            text += f"| {kind} | instead |\n| --- | --- |\n"
            text += "".join(f"| {', '.join(names)} | {as_cell(note)} |\n" for note, names in notes.items()) + "\n"
    return text, counts


def plain(text):
    """Return a text outside of code, with the characters escaped that have a meaning in Markdown."""
    return re.sub(r"[*_<]", r"\\\g<0>", text)


def as_cell(note):
    """Return a remedy as the cell of a table; in code, only the bars between cells need to be escaped."""
    parts = CODE.split(note)
    parts[::2] = map(plain, parts[::2])
    return "".join(parts).replace("|", "\\|")


def write():
    """Write the pages, and return how many names have which status."""
    texts, total = {}, Counter()
    for place in places():
        text, counts = section(place)
        texts.setdefault(page_of(place), []).append((text, counts))
        total += counts
    for page, sections in texts.items():
        title = PAGES[page] if page in PAGES else SHARED[page][0]
        text = f"# PyTorch's names: {title}\n\n" + "".join(text for text, _ in sections)
        (PLACE / f"pytorch-{page}.md").write_text(text)
    return total


def summary(total):
    """Return the sentence with all counts."""
    return f"Of {sum(total.values()):,} names, " + ", ".join(f"{total[kind]:,} are {kind}" for kind in STATUSES) + "."


if __name__ == "__main__":
    print(summary(write()))
