"""Kinds of state: tensors of the program, the places that contain them, library settings, library functions."""

from scenarios import BREAKS, FOLLOWS, RECAPTURES, RECORDED, Kind

T = "T = facula.full((1, 3), 2.0)"
VALUES = (
    "T", "T.sum()", "T.mean()", "T.max()", "T.amin()", "T.norm()", "T.var()  + T.mean()", "T.prod()", "T.sort()[0]",
    "T.cumsum(1)", "(T + X).softmax(1) + T", "facula.cat([T, T])[:1]", "facula.stack([T, T]).sum(0)",
    "T.reshape(-1)[:3]",
    "T.view(-1)[0]", "T.detach()", "T.data", "T[0]", "T[:, 1:2]", "T.t()[:, :1]", "T.flip(0)",
    "T.expand(2, 3)[:2].sum(0)",
    "T.clone()", "T.double()", "T.unsqueeze(0)", "T @ X", "facula.where(X > 0, T, X)", "T.topk(1)[0]",
    "T.argsort() + T",
    "facula.einsum('ij,j->i', T, X)", "T.unbind(0)[0]", "T.split(1)[0]", "T.pow(2)", "F.relu(T)", "T.std() + T.sum()",
    "T.repeat(1, 1)", "T.masked_fill(T > 9, 0)", "T.gather(1, facula.tensor([[0]]))", "T.median()", "T.logsumexp(1)",
)  # fmt: skip
METADATA = (
    "T.shape[0]", "len(T)", "T.size(0)", "T.numel()", "T.size()[0]", "[*T.shape][0]", "facula.zeros(T.shape).numel()",
    "facula.ones_like(T).sum()", "T.new_ones(T.shape[0]).sum()", "len([*T])", "T.nbytes",
)  # fmt: skip
ASKING = """
from contextlib import suppress
def tried(one):
    try:
        return one.k
    except AttributeError:
        return 2
def suppressed(one):
    with suppress(AttributeError):
        return one.k
    return 2
"""
NEW = "facula.full((V - 1, 3), float(V))"
READS = (*VALUES, *METADATA)
JOINED = ("T", "T.sum()", "T.norm()", "facula.cat([T, T]).sum()", "T.view(-1)[:1]", "T.pow(2).sum()",
 "facula.stack([T]).sum()",
          "sum(one.sum() for one in T)", "T.max()", "T.cumsum(1)[0]", "T.softmax(1)[0]",
          "(2 if T.requires_grad else 3)")  # fmt: skip

TENSORS = [
    ("tensor's memory: .data =", T, f"T.data = {NEW}", READS, RECAPTURES),
    ("tensor's memory: set_", T, f"T.set_({NEW})", READS[::3], RECAPTURES),
    ("tensor's memory: resize_", T, "T.resize_(V - 1, 3).fill_(float(V))", READS[1::3], RECAPTURES),
    ("tensor bound to a name", T, f"T = {NEW}", READS[2::3], RECAPTURES),
    ("elements", T, "T.fill_(float(V))", VALUES[::2], FOLLOWS),
    ("requires_grad", T, "T.requires_grad_(V == 3)", JOINED, RECAPTURES),
    ("type of a tensor", T, "T.data = T.data.to((facula.float32, facula.float64)[V - 2])",
     ("T", "T.sum().view(1)", "T.dtype.itemsize", "T.element_size()", "(2 if T.dtype == facula.float64 else 3)",
      "(facula.zeros(3, dtype=T.dtype) + 1).element_size()", "T.is_floating_point() * T"), RECAPTURES),
    ("strides of a tensor", "T = facula.arange(1.0, 10.0).view(3, 3)", "T.data = T.data.t()",
     ("T", "T[0]", "T.cumsum(1)[0]", "T.stride(0)", "(2 if T.is_contiguous() else 3)", "T.sum(1)"), RECAPTURES),
    ("offset of a tensor", "B = facula.arange(1.0, 10.0)\nT = B[2:5]", "T.data = B[V:V + 3]",
     ("T", "T.storage_offset()", "T.sum()"), RECAPTURES),
    ("base of a view", "B = facula.arange(1.0, 10.0)\nT = B[2:5]", "B.mul_(V)", ("T", "T.sum()"), FOLLOWS),
    ("memory shared with an array", "A = np.full(3, 2.0, 'f4')\nT = facula.from_numpy(A)", "A[:] = V",
     ("T", "T.sum()", "facula.cat([T])"), FOLLOWS),
    ("element read by Python", T, "T.fill_(float(V))", ("T.item() if T.numel() == 1 else T.sum().item()",
     "T.tolist()[0][0]",
     "float(T[0, 0])", "(3 if T.sum() > 7 else 2)", "float(T.numpy().min())"), BREAKS),
    ("gradient's elements", f"{T}.requires_grad_()\nT.grad = facula.ones(1, 3)", "T.grad.fill_(float(V))",
     ("T.grad", "T.grad.sum()", "T.grad.norm()"), FOLLOWS),
    ("gradient replaced", f"{T}.requires_grad_()\nT.grad = facula.ones(1, 3)", "T.grad = facula.full((1, 3), float(V))",
     ("T.grad", "T.grad.sum()", "facula.cat([T.grad, T.grad])[:1]", "T.grad.view(-1)"), RECAPTURES),
    ("gradient cleared", f"{T}.requires_grad_()\nT.grad = facula.ones(1, 3)",
     "T.grad = None if V == 3 else facula.ones(1, 3)", ("T.grad", "(3 if T.grad is None else 2)", "T.grad.shape[0]",
     "sum(one.grad.sum() for one in [T] if one.grad is not None)"), RECAPTURES),
    ("node of a tensor", f"{T}.requires_grad_()\nU = T.detach()", "U = T * V if V == 3 else (T * 2).detach()",
     ("(3 if U.is_leaf else 2)", "(3 if U.grad_fn is None else 2)", "(2 if U.requires_grad else 3)"), RECAPTURES),
    ("attribute that a tensor gets", f"{T}\n{ASKING}", "T.k = V", ("tried(T)", "suppressed(T)", "getattr(T, 'k', 2)",
     "(T.k if hasattr(T, 'k') else 2)", "vars(T).get('k', 2)", "sum(tried(one) for one in (X, T)) - 2",
     "sum(tried(one) for one in [T.detach(), T]) - 2"), RECAPTURES),
    ("class of a tensor", T, "T = nn.Parameter(T) if V == 3 else T.detach()",
     ("(2 if type(T) is facula.Tensor else 3)", "(3 if isinstance(T, nn.Parameter) else 2)"), RECAPTURES),
]  # fmt: skip

# Places for a tensor: lines that create the place, that store another tensor there, and an expression that reads it.
PLACES = [
    ("a list", "L = [X * 2]", "L[0] = X * V", "L[0]"),
    ("a dict", "D = {'t': X * 2}", "D['t'] = X * V", "D['t']"),
    ("a tuple", "P = (X * 2, 1)", "P = (X * V, 1)", "P[0]"),
    ("an attribute", "O = Box(X * 2)", "O.k = X * V", "O.k"),
    ("a class", "class A:\n    t = X * 2", "A.t = X * V", "A.t"),
    ("a list in a dict of an object", "O = Box({'a': [X * 2]})", "O.k['a'][0] = X * V", "O.k['a'][0]"),
    ("a deque", "Q = collections.deque([X * 2])", "Q[0] = X * V", "Q[0]"),
    ("a default argument", "def g(t=X * 2): return t * 1", "g.__defaults__ = (X * V,)", "g()"),
    ("a closure", "def make(t):\n    def read(): return t\n    return read\nREAD = make(X * 2)",
     "READ.__closure__[0].cell_contents = X * V", "READ()"),
    ("a partial function", "P = functools.partial(lambda t: t * 1, t=X * 2)", "P.keywords['t'] = X * V", "P()"),
    ("a dataclass", "@dataclasses.dataclass\nclass A:\n    t: object\nO = A(X * 2)", "O.t = X * V", "O.t"),
    ("a named tuple", "class A(NamedTuple):\n    t: object\nO = A(X * 2)", "O = O._replace(t=X * V)", "O.t"),
    ("a function's attribute", "def g(): return g.t\ng.t = X * 2", "g.t = X * V", "g()"),
    ("a weak dict", "T = X * 2\nD = weakref.WeakValueDictionary(t=T)", "D['t'] = T = X * V", "D['t']"),
]  # fmt: skip
KEPT = [
    (f"tensor in {name}", setup, change, (read, f"({read}).sum()", f"facula.cat([{read}, X])[:3]"),
     BREAKS if "weak" in name else RECAPTURES)
    for name, setup, change, read in PLACES
]  # fmt: skip
SWAPPED = [
    (f"memory of a tensor in {name}", setup, f"({read}).data = X * V", (f"({read}).sum()", f"facula.stack([{read}])[0]",
     f"({read}).view(3)"), BREAKS if "weak" in name else RECAPTURES)
    for name, setup, change, read in PLACES if "* 1" not in setup
]  # fmt: skip

HOOKED = (
    "T = facula.ones(3, requires_grad=True)\n{0}\ndef f(x):\n    T.grad = None\n    (T * x).sum().backward()\n"
    "    return T.grad.clone()"
)
OWN = [
    Kind("hook of a tensor", HOOKED.format(""),
         "HOOK = T.register_hook(lambda g: g * 3) if V == 3 else HOOK.remove()", (),
         RECAPTURES),
    Kind("hook of a tensor, after accumulation", HOOKED.format("def double(t): t.grad.mul_(2)"),
         "HOOK = T.register_post_accumulate_grad_hook(double) if V == 3 else HOOK.remove()", (), RECAPTURES),
    Kind("what a hook reads", HOOKED.format("K = 2\nT.register_hook(lambda g: g * K)"), "K = V", (), RECAPTURES),
    Kind("what a backward reads", "K = 2\nclass Scale(facula.autograd.Function):\n    @staticmethod\n"
         "    def forward(ctx, x): return x * 1\n    @staticmethod\n"
         "    def backward(ctx, gradient): return gradient * K\n"
         "T = facula.ones(3, requires_grad=True)\ndef f(x):\n    T.grad = None\n"
         "    Scale.apply(T * x).sum().backward()\n"
         "    return T.grad.clone()", "K = V", (), RECAPTURES),
    Kind("what a mapped function reads", "K = 2\ndef f(x):\n    return facula.func.vmap(lambda one: one * K)(x)",
         "K = V", (), RECAPTURES),
    Kind("what a branch of tensors reads", "K = 2\ndef f(x):\n"
         "    return facula.cond(x.sum() > 1, lambda x: x * K, lambda x: x, (x,))",
         "K = V", (), RECAPTURES),
    Kind("what a checkpointed function reads", "K = 2\nT = facula.ones(3, requires_grad=True)\ndef f(x):\n"
         "    T.grad = None\n"
         "    facula.utils.checkpoint.checkpoint(lambda t: (t * x).tanh() * K, T, "
         "use_reentrant=False).sum().backward()\n"
         "    return T.grad.clone()", "K = V", (), RECAPTURES),
    Kind("gradient accumulated, then cleared", "T = facula.ones(3, requires_grad=True)\ndef f(x):\n"
         "    (T * x).sum().backward()\n    return x * 2", "T.grad = None", (), RECAPTURES,
         observe="T.grad.tolist() if T.grad is not None else 0"),
    Kind("gradient of an argument, cleared", "T = facula.ones(3, requires_grad=True)\ndef f(x):\n"
         "    loss = (x * x).sum()\n"
         "    loss.backward()\n    return loss.detach()", "T.grad = None", (), BREAKS, args="(T,)",
         observe="T.grad.tolist() if T.grad is not None else 0"),
    Kind("gradient of an argument, cleared in two statements",
         "T = facula.ones(3, requires_grad=True)\nOUT = io.StringIO()\n"
         "def f(x):\n    loss = (x * x).sum()\n    print('loss', file=OUT)\n    loss.backward()\n"
         "    return loss.detach()",
         "T.grad = None", (), BREAKS, args="(T,)",
         observe="(OUT.getvalue(), T.grad.tolist() if T.grad is not None else 0)"),
    Kind("read-only memory", "A, B = np.zeros(3, 'f4'), np.zeros(3, 'f4')\nB.flags.writeable = False\n"
         "T = facula.from_numpy(A)\n"
         "def f(x):\n    T.add_(x)\n    return T * 1", "T.data = facula.from_numpy((A, B)[V - 2])", (), RECAPTURES,
         observe="A.tolist(), B.tolist()"),
    Kind("read-only memory of an argument", "A, B = np.zeros(3, 'f4'), np.zeros(3, 'f4')\n"
         "B.flags.writeable = False\nK = A\n"
         "def f(x):\n    return x.add_(1)", "K = (A, B)[V - 2]", (), RECAPTURES, args="(facula.from_numpy(K),)",
         observe="A.tolist(), B.tolist()"),
    Kind("argument in memory that is written", "T = facula.zeros(4)\nA = facula.ones(3)\ndef f(x):\n"
         "    T[1:] = x * 2\n    return T[:3] + x",
         "A = (facula.ones(3), T[:3])[V - 2]", (), BREAKS, args="(A,)", observe="T.tolist()"),
    Kind("tensor changed by another name", "T = facula.ones(3)\nU = T\ndef f(x):\n    return x * T.sum() + U",
         "U.data = facula.full((3,), float(V))", (), RECAPTURES),
    Kind("cache that grows", "class Cache:\n    def __init__(self): self.k = facula.zeros(1, 3)\nC = Cache()\n"
         "def f(x):\n    return facula.cat([C.k, x[None]]).sum(0)", "C.k.data = facula.ones(V, 3)", (), RECAPTURES),
    Kind("averages in a dict", "E = {'w': facula.ones(3)}\ndef f(x):\n    E['w'].mul_(0.5).add_(x)\n"
         "    return E['w'].clone()",
         "E['w'] = facula.full((3,), float(V))", (), RECAPTURES, observe="E['w'].tolist()"),
]  # fmt: skip

# Library functions that return no tensor: lines that change their result, and lines that restore it.
SETTINGS = [
    ("default dtype", "facula.set_default_dtype((facula.float32, facula.float64)[V - 2])",
     ("facula.zeros(3) + 1", "facula.get_default_dtype().itemsize", "facula.tensor([0.5])", "facula.arange(0.5, 3)",
      "facula.full((1,), 0.1)"),
     "facula.set_default_dtype(facula.float32)"),
    ("number of threads", "facula.set_num_threads(4 - V)", ("facula.get_num_threads()",),
     "facula.set_num_threads(KEPT)"),
    ("algorithm of convolutions", "facula.backends.cpu.convolution = ('fast', 'direct')[V - 2]",
     ("len(facula.backends.cpu.convolution)",
      "F.conv2d(facula.linspace(0, 1, 2048).reshape(1, 32, 8, 8), facula.ones(32, 32, 3, 3))[0, 0, 0, :3]"),
     "facula.backends.cpu.convolution = 'fast'"),
    ("grad mode", "facula.set_grad_enabled(V == 2)", ("facula.is_grad_enabled()",
     "(2 if facula.is_grad_enabled() else 3)",
     "facula.ones(1, requires_grad=True)", "(GRAD * 2)"), "facula.set_grad_enabled(True)"),
    ("autocast", "CAST = facula.autocast('cpu', dtype=facula.bfloat16, enabled=V == 3)\nCAST.__enter__()",
     ("(3 if facula.is_autocast_cpu_enabled() else 2)", "(facula.full((1, 3), 0.1) @ facula.ones(3, 1))",
      "(3 if facula.is_autocast_enabled('cpu') else 2)"),
     "while facula.is_autocast_cpu_enabled(): CAST.__exit__(None, None, None)"),
    ("precision of products", "facula.set_float32_matmul_precision(('highest', 'high')[V - 2])",
     ("len(facula.get_float32_matmul_precision())",), "facula.set_float32_matmul_precision('highest')"),
    ("mode of inference", "MODE = facula.inference_mode(V == 3)\nMODE.__enter__()",
     ("(3 if facula.is_inference_mode_enabled() else 2)",),
      "while facula.is_inference_mode_enabled(): MODE.__exit__(None, None, None)"),
    ("deterministic mode", "facula.set_deterministic_debug_mode(('default', 'warn')[V - 2])",
     ("facula.get_deterministic_debug_mode()", "facula.is_deterministic_algorithms_warn_only_enabled() + 2"),
     "facula.set_deterministic_debug_mode('default')"),
    ("warnings", "facula.set_warn_always(V == 3)", ("facula.is_warn_always_enabled() + 2",),
     "facula.set_warn_always(False)"),
]  # fmt: skip
LIBRARY = [
    Kind(f"setting: {name}", "KEPT = facula.get_num_threads()\nfacula.set_num_threads(2)\n"
         "GRAD = facula.ones(3, requires_grad=True)", change, reads,
         RECAPTURES, ("direct", "helper", "comprehension", "method", "forward", "keyword", "map"), undo=undo)
    for name, change, reads, undo in SETTINGS
]  # fmt: skip
GENERATORS = [
    Kind("generator of the library", "", "", ("facula.rand(3)", "facula.randn(1)", "facula.randint(1, 99, (1,))",
         "F.dropout(X, 0.5) + X", "facula.bernoulli(X / 2) + X", "X.clone().uniform_()", "facula.randperm(3)"), FOLLOWS,
         "tensors", varies=True),
    Kind("generator object, seeded", "G = facula.Generator()\nG.manual_seed(2)", "G.manual_seed(V)",
         ("facula.rand(3, generator=G)", "facula.randn(1, generator=G)"), FOLLOWS, "tensors", varies=True),
    Kind("generator object, its state set", "G = facula.Generator()\nKEPT = G.get_state()", "G.set_state(KEPT)",
         ("facula.rand(3, generator=G)",), FOLLOWS, "tensors"),
    Kind("generator object, replaced", "G = facula.Generator()\nG.manual_seed(2)",
         "G = facula.Generator()\nG.manual_seed(V)",
         ("facula.rand(3, generator=G)",), RECAPTURES, "tensors"),
    Kind("seed of a generator object", "G = facula.Generator()\nG.manual_seed(2)", "G.manual_seed(V)",
         ("G.initial_seed()",), RECAPTURES),
    Kind("seed of the library's generator", "", "", ("facula.initial_seed()",), BREAKS, "tensors", varies=True),
    Kind("state of the library's generator", "", "", ("int(facula.get_rng_state().sum()) % 997",), BREAKS, "tensors",
         varies=True),
]  # fmt: skip

KINDS = [
    *[Kind(*row, RECORDED if row[0] == "requires_grad" else "tensors") for row in [*TENSORS, *KEPT, *SWAPPED]],
    *OWN,
    *LIBRARY,
    *GENERATORS,
]
