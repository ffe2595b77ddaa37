"""Random functions of tensors, which compare facula-run on a saved capture with the eager function."""

import numpy as np

import facula
import facula.nn as nn

SIZES = (0, 1, 2, 2, 3, 3, 3, 4, 4, 5, 5)
DTYPES = ("float32", "float32", "float32", "float64", "int64", "int32", "bool")


class Draws:
    """Pseudorandom numbers from plain Python: captures may draw them, and each call draws the same."""

    def __init__(self, seed):
        self.state = seed

    def random(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        mixed = (self.state ^ self.state >> 33) * 0xFF51AFD7ED558CCD % (1 << 64)
        return (mixed >> 11) / (1 << 53)

    def uniform(self, low, high):
        return low + (high - low) * self.random()

    def randrange(self, start, stop=None):
        low, high = (0, start) if stop is None else (start, stop)
        return low + int(self.random() * (high - low))

    def choice(self, options):
        return options[self.randrange(len(options))]


def _array(rng, shape, dtype):
    made = np.array(
        [rng.randrange(-3, 4) if "int" in dtype else rng.uniform(-2, 2) for _ in range(int(np.prod(shape)))]
    )
    return facula.tensor((made > 0 if dtype == "bool" else made).astype(dtype).reshape(shape))


def _strided(rng, tensor):
    """Return the same elements in other memory: transposed, with gaps, inside a larger tensor, or unchanged."""
    kind, n = rng.randrange(6), tensor.ndim
    if not n or kind > 2:
        return tensor
    if kind == 0:
        return tensor.transpose(0, n - 1).contiguous().transpose(0, n - 1)
    wide = facula.cat([tensor, tensor, tensor], n - 1)
    width = tensor.shape[n - 1]
    if kind == 1:
        return wide.narrow(n - 1, width, width)
    return facula.stack([tensor, tensor], -1).select(-1, 1)


def _shape(rng, most=3):
    return tuple([rng.choice(SIZES) for _ in range(rng.randrange(most + 1))])


class Program:
    """A function determined by a seed: its arguments, its tensors and its lines."""

    def __init__(self, seed):
        rng = self.rng = Draws(seed)
        self.seed = seed
        self.example = [_array(rng, _shape(rng), rng.choice(DTYPES)) for _ in range(rng.randrange(1, 4))]
        self.own = [_array(rng, _shape(rng), rng.choice(DTYPES)) for _ in range(rng.randrange(3))]
        self.own = [_strided(rng, one) for one in self.own]
        if rng.random() < 0.3:
            facula.manual_seed(seed)
            self.own.append(nn.Parameter(facula.randn(rng.choice(SIZES), rng.choice(SIZES))))
        self.lines = rng.randrange(1, 7)
        self.results = rng.randrange(1, 5)

    def arguments(self, number):
        """Return arguments for a call."""
        rng = Draws(self.seed * 100 + number + 1)
        kinds = Draws(self.seed)
        made = [_array(rng, tuple(one.shape), one.dtype.name) for one in self.example]
        return [_strided(kinds, one) for one in made]

    def function(self):
        """Call the function, which makes the same choices in each call."""
        own, lines, results, seed = self.own, self.lines, self.results, self.seed

        def run(*given):
            rng = Draws(-seed)
            values = [*given, *own]
            for _ in range(lines):
                values.append(line(rng, values))
            found = [values[rng.randrange(len(values))] for _ in range(results)]
            found = [view(rng, one) if rng.random() < 0.4 else one for one in found]
            kind = rng.randrange(4)
            if kind == 0:
                return found[0]
            return {f"r{k}": one for k, one in enumerate(found)} if kind == 1 else (found if kind == 2 else (*found,))

        return run


def constant(rng):
    """Return a tensor that no argument changes."""
    shape = _shape(rng)
    return rng.choice([
        lambda: facula.full(shape, rng.uniform(-2, 2)), lambda: facula.ones(*shape), lambda: facula.zeros(*shape),
        lambda: facula.arange(rng.choice(SIZES)), lambda: facula.arange(rng.choice(SIZES)).float() * 0.5,
        lambda: facula.eye(rng.choice(SIZES)), lambda: facula.tensor([1.0, -2.0, 3.0]),
        lambda: facula.linspace(0, 1, rng.choice(SIZES)), lambda: facula.full(shape, 3),
    ])()  # fmt: skip


def view(rng, value):
    """Return a view, or a rearranged value."""
    n = value.ndim
    if not n:
        return rng.choice([lambda: value.reshape(1), lambda: value.expand(3), lambda: value.unsqueeze(0)])()
    dim = rng.randrange(n)
    return rng.choice([
        lambda: value.transpose(0, n - 1), lambda: value.flip(dim), lambda: value.roll(rng.randrange(-3, 4), dim),
        lambda: value.roll(rng.randrange(-3, 4)), lambda: value.select(dim, value.shape[dim] - 1),
        lambda: value[..., ::2], lambda: value[1:], lambda: value.reshape(-1), lambda: value.unsqueeze(dim),
        lambda: value.narrow(dim, value.shape[dim] // 2, value.shape[dim] - value.shape[dim] // 2),
        lambda: value.contiguous(), lambda: value.clone(), lambda: value.unsqueeze(0).expand(2, *value.shape),
        lambda: value.diagonal() if n > 1 else value, lambda: value.movedim(0, n - 1), lambda: value.chunk(2, dim)[0],
        lambda: value.detach(), lambda: value[..., -1:],
    ])()  # fmt: skip


def control_flow(rng, value):
    """Return a branch or a loop that depends on the value's elements, which may return its input."""
    x = value.float()
    return rng.choice([
        lambda: facula.cond(x.sum() > 0, lambda x: x, lambda x: x * 2, (x,)),
        lambda: facula.cond(x.sum() > 0, lambda x: x.clone(), lambda x: x.sin(), (value.double(),)),
        lambda: facula.while_loop(lambda n, x: n < x.sum(), lambda n, x: (n + 1, x * 0.5), (facula.tensor(0.0), x))[1],
        lambda: facula.while_loop(lambda n, x: n < 2, lambda n, x: (n + 1, x), (facula.tensor(0), value))[1],
        lambda: facula.while_loop(lambda n, x: n > 2, lambda n, x: (n + 1, x + 1), (facula.tensor(0), x))[1],
        lambda: facula.scan(lambda c, one: (c + one, c), x.sum() * 0, x.reshape(-1))[rng.randrange(2)],
        lambda: facula.scan(lambda c, one: (c, one), value, facula.ones(3))[rng.randrange(2)],
    ])()  # fmt: skip


def line(rng, values):
    """Compute one more value."""
    kind = rng.random()
    a, b = values[rng.randrange(len(values))], values[rng.randrange(len(values))]
    if kind < 0.1:
        return constant(rng)
    if kind < 0.15:
        return control_flow(rng, a)
    if kind < 0.45:
        return view(rng, a)
    f = a if a.dtype.is_floating_point else a.float()
    dim = rng.randrange(a.ndim) if a.ndim else 0
    if kind < 0.6:
        return rng.choice([
            lambda: f.sin(), lambda: f.exp(), lambda: a * 2, lambda: f.sigmoid(), lambda: f.relu() - 0.5,
            lambda: a.float(), lambda: a.double(), lambda: a.long(), lambda: a.bool(), lambda: f.clamp(-1, 1),
            lambda: a.where(a > 0, a), lambda: f.add(1).mul_(2),
        ])()  # fmt: skip
    if kind < 0.75:
        return rng.choice([
            lambda: f.sum(), lambda: f.mean(dim) if a.ndim else f, lambda: a.sum(dim) if a.ndim else a,
            lambda: f.cumsum(dim) if a.ndim else f, lambda: f.softmax(dim) if a.ndim else f,
            lambda: f.amax(dim, keepdim=True) if a.ndim else f, lambda: f.sort(dim)[0] if a.ndim else f,
            lambda: f.argmax(dim) if a.ndim else f, lambda: f.std(dim) if a.ndim else f,
            lambda: facula.cat([a, a], dim) if a.ndim else a, lambda: facula.stack([a, a]),
            lambda: f.tril() if a.ndim > 1 else f, lambda: a.flip(dim).roll(1) if a.ndim else a,
        ])()  # fmt: skip
    if kind < 0.85 and a.ndim:
        index = facula.arange(a.shape[dim]).flip(0)
        return rng.choice([
            lambda: a.index_select(dim, index), lambda: a[index] if dim == 0 else a.flip(0),
            lambda: f.clone().fill_(1.5), lambda: f.clone().index_add_(dim, index, f),
            lambda: (f @ f.transpose(-1, -2)) if a.ndim > 1 else f.dot(f),
        ])()  # fmt: skip
    try:
        return rng.choice([lambda: a + b, lambda: a * b, lambda: facula.where(a > b, a, b), lambda: f - b.float()])()
    except (ValueError, RuntimeError):  # incompatible shapes: the same in each call
        return f.sum() + b.float().sum()
