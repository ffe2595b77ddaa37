"""Damage files of graphs, and load and call them if that still works; runs as a program to isolate crashes.

    python jit_fuzz.py FOLDER SEED COUNT

reads the graphs in FOLDER, and prints the numbers of refused graphs, executed graphs, and errors of other types.
"""

import json
import os
import random
import signal
import sys
import warnings
import zipfile
from collections import Counter

import facula_storage
from facula_errors import FaculaError
from facula_jit import GraphFileError, load
from facula_tensor import ones, zeros

NUMBERS = [0, 1, -1, 2, 3, 7, 8, 63, 64, 65, 0.5, -0.0, 1e308, True, False, None, "nan", "x", [], {}, [0, 0]]
NUMBERS += [
    sign * (1 << bits) + more for bits in (10, 20, 31, 32, 62, 63, 64, 100) for sign, more in ((1, -1), (1, 0), (-1, 0))
]


def leaves(tree, path=()):
    """Return the paths of all nodes of a tree."""
    yield path
    if isinstance(tree, dict):
        for key in tree:
            yield from leaves(tree[key], (*path, key))
    elif isinstance(tree, list):
        for key in range(len(tree)):
            yield from leaves(tree[key], (*path, key))


def at(tree, path):
    for key in path:
        tree = tree[key]
    return tree


def mutate(tree, rng):
    """Change a few nodes of a tree: numbers to close or distant ones, subtrees to others of the same type."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        paths = [leaf for leaf in leaves(tree) if leaf]
        path = rng.choice(paths)
        parent, key, value = at(tree, path[:-1]), path[-1], at(tree, path)
        how = rng.random()
        if type(value) is int and how < 0.6:
            parent[key] = rng.choice((value + 1, value - 1, value * 2, -value, value + rng.randrange(100), value ^ 4))
        elif how < 0.75:
            same = [candidate for candidate in paths if type(at(tree, candidate)) is type(value)]
            parent[key] = json.loads(json.dumps(at(tree, rng.choice(same))))
        elif how < 0.85 and isinstance(parent, list):
            if rng.random() < 0.5:
                del parent[key]
            else:
                parent.insert(key, json.loads(json.dumps(value)))
        else:
            parent[key] = rng.choice(NUMBERS)


def damaged(contents, rng):
    """Return a file with mutated JSON, flipped bits, or a truncated end."""
    how = rng.random()
    if how < 0.9:
        tree = json.loads(contents["graph.json"])
        mutate(tree, rng)
        return {**contents, "graph.json": json.dumps(tree).encode()}, None
    name = rng.choice(list(contents))
    data = bytearray(contents[name])
    if how < 0.95 and data:
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    else:
        del data[rng.randrange(len(data) + 1) :]
    return {**contents, name: bytes(data)}, rng


def write(path, contents, rng):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    if rng is not None and rng.random() < 0.5:
        with open(path, "r+b") as file:
            data = bytearray(file.read())
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            file.seek(0)
            file.write(data)
            if rng.random() < 0.5:
                file.truncate(rng.randrange(len(data)))


def arguments(stored):
    """Return arguments that match the signature of a graph."""
    kinds = [(entry["tensor"][0], entry["tensor"][1]) for _, entry in stored]
    return [(zeros if "int" in name else ones)(*shape, dtype=getattr(facula_storage, name)) for name, shape in kinds]


def run(path, stored):
    """Call the graph, and run its backward pass."""
    loaded = load(path)  # loading must terminate; a graph may run forever
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 1)
    try:
        result = loaded(*arguments(stored))
        for output in result if isinstance(result, (tuple, list)) else [result]:
            if getattr(output, "requires_grad", False):
                output.sum().backward()
    finally:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)


def too_long(number, frame):
    """Interrupt an endless loop."""
    raise EndlessError


class EndlessError(Exception):
    """A graph is still running."""


def main(folder, seed, count):
    warnings.simplefilter("ignore")
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, too_long)
    rng, found = random.Random(seed), Counter()
    files = sorted(filename for filename in os.listdir(folder) if filename.endswith(".facula"))
    whole = {}
    for name in files:
        with zipfile.ZipFile(os.path.join(folder, name)) as archive:
            whole[name] = {member: archive.read(member) for member in archive.namelist()}
    path = os.path.join(folder, f"damaged-{seed}")
    last = os.path.join(folder, f"last-{seed}")
    for _ in range(count):
        name = rng.choice(files)
        contents, how = damaged(whole[name], rng)
        write(path, contents, how)
        os.replace(path, last)  # remains after a crash
        stored = json.loads(whole[name]["graph.json"])["graphs"][0]["arguments"]
        try:
            run(last, stored)
            found["ran"] += 1
        except GraphFileError:
            found["refused"] += 1
        except EndlessError:
            found["ran for ever"] += 1
        except (FaculaError, MemoryError, RuntimeError) as error:
            found["said " + type(error).__name__] += 1
        except Exception as error:
            found[f"raised {type(error).__name__}: {str(error)[:80]}"] += 1
    print(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
