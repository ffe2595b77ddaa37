"""Kinds of state: modules, external state (clocks, files, random numbers), and side effects."""

from scenarios import BREAKS, FOLLOWS, RECAPTURES, Kind

SETTINGS = {"own_settings": "K = 2\nTABLE = {'k': 2}\ndef g():\n    return K\nclass Config:\n    k = 2\n"}
INSIDE = """
import own_settings
def plain():
    import own_settings
    return own_settings.K
def name():
    from own_settings import K
    return K
def renamed():
    import own_settings as other
    return other.g()
"""
LOGGED = """
LOG = logging.getLogger("captures")
LOG.propagate, SEEN = False, []
class Handler(logging.Handler):
    def emit(self, record):
        SEEN.append(record.getMessage())
LOG.handlers = [Handler()]
LOG.setLevel(10)
"""

MODULES = [
    Kind(name, "import own_settings\nfrom own_settings import Config", change, reads, behaviour, files=SETTINGS)
    for name, change, reads, behaviour in [
        ("attribute of the program's module", "own_settings.K = V", ("own_settings.K", "own_settings.g()"), RECAPTURES),
        ("dict in the program's module", "own_settings.TABLE['k'] = V", ("own_settings.TABLE['k']",), RECAPTURES),
        ("class in the program's module", "own_settings.Config.k = V", ("own_settings.Config.k", "Config.k",
         "Config().k"),
         RECAPTURES),
        ("function in the program's module", "own_settings.g = (lambda: 2, lambda: 3)[V - 2]", ("own_settings.g()",),
         RECAPTURES),
        ("module read by getattr", "own_settings.K = V", ("getattr(own_settings, 'K')",), BREAKS),
        ("module read by vars", "own_settings.K = V", ("vars(own_settings)['K']", "own_settings.__dict__['K']"),
         BREAKS),
        ("module read by a loop", "own_settings.K = V", ("[getattr(one, 'K') for one in [own_settings]][0]",), BREAKS),
        ("module read by a getter", "own_settings.K = V", ("operator.attrgetter('K')(own_settings)",), BREAKS),
        ("module read by sys.modules", "own_settings.K = V", ("sys.modules['own_settings'].K",), BREAKS),
        ("module read by importlib", "own_settings.K = V", ("importlib.import_module('own_settings').K",), BREAKS),
    ]
] + [
    Kind("module in a variable", "import own_settings\nM = own_settings", "own_settings.K = V", ("M.K",), RECAPTURES,
         files=SETTINGS),
    Kind("module in an attribute", "import own_settings\nO = Box(own_settings)", "own_settings.K = V", ("O.k.K",),
         BREAKS,
         files=SETTINGS),
    Kind("module replaced", "import own_settings",
         "sys.modules['own_settings'] = own_settings = types.ModuleType('m')\n"
         "own_settings.K = V", ("own_settings.K",), RECAPTURES, files=SETTINGS),
    Kind("name imported from a module", "from own_settings import K", "K = V", ("K",), RECAPTURES, files=SETTINGS),
    Kind("module imported inside", INSIDE, "own_settings.K = V", ("plain()", "name()", "renamed()"), RECAPTURES,
         files=SETTINGS),
    Kind("number of a standard module", "KEPT = math.pi", "math.pi = V - 1", ("math.pi",), RECAPTURES,
         undo="math.pi = KEPT"),
    Kind("list of a standard module", "KEPT = [*sys.argv]", "sys.argv[:] = 'a' * V", ("len(sys.argv)",), RECAPTURES,
         undo="sys.argv[:] = KEPT"),
    Kind("function of a standard module", "KEPT = math.sqrt", "math.sqrt = (KEPT, lambda value: 3)[V - 2]",
         ("math.sqrt(4)",), RECAPTURES, undo="math.sqrt = KEPT"),
    Kind("number of NumPy", "KEPT = np.pi", "np.pi = V - 1", ("np.pi",), RECAPTURES, undo="np.pi = KEPT"),
    Kind("function of NumPy", "KEPT = np.sqrt", "np.sqrt = (KEPT, lambda value: 3.0)[V - 2]", ("float(np.sqrt(4.0))",),
         RECAPTURES, undo="np.sqrt = KEPT"),
    Kind("function of facula", "KEPT = facula.relu", "facula.relu = (KEPT, lambda x: x * 3)[V - 2]",
         ("facula.relu(X)",),
         RECAPTURES, "tensors", undo="facula.relu = KEPT"),
    Kind("function of facula by name", "K = 'relu'", "K = ('relu', 'tanh')[V - 2]", ("getattr(F, K)(X)",
         "vars(facula)[K](X)"),
         RECAPTURES, "tensors"),
    Kind("function of facula's modules", "KEPT = F.linear\nNET = nn.Linear(3, 3)",
         "F.linear = (KEPT, lambda x, weight, bias=None: x * 3)[V - 2]", ("F.linear(X, X)",), RECAPTURES, "tensors",
         undo="F.linear = KEPT"),
]  # fmt: skip


def varying(name: str, setup: str, *reads: str, compares: bool = True) -> Kind:
    """Return a kind for state that each read advances."""
    return Kind(name, setup, "", reads, BREAKS, "tensors", varies=True, compares=compares)


OUTSIDE = [
    varying("Python's random numbers", "", "random.random()", "random.uniform(1, 9)", "random.gauss(2, 1)",
            "random.randint(1, 9999)", "random.choice(range(1, 9999))", "random.sample(range(1, 9999), 1)[0]"),
    varying("generator of Python's random numbers", "R = random.Random(5)", "R.random()", "R.randrange(1, 9999)",
            "R.normalvariate(2, 1)"),
    varying("generator in an attribute", "O = Box(random.Random(5))", "O.k.random()"),
    varying("random function under a name", "from random import random as draw", "draw()"),
    varying("list shuffled by Python", "L = [*range(1, 9999)]", "random.shuffle(L) or L[0]"),
    varying("NumPy's random numbers", "", "np.random.rand()", "np.random.normal()", "np.random.randint(1, 9999)",
            "float(np.random.uniform(1, 9))", "np.random.permutation(9999)[0]"),
    varying("generator of NumPy's random numbers", "R = np.random.default_rng(5)", "R.random()", "R.normal()",
            "int(R.integers(1, 9999))"),
    varying("old generator of NumPy's random numbers", "R = np.random.RandomState(5)", "R.rand()",
     "R.standard_normal()"),
    varying("random numbers of the system", "", "secrets.randbelow(9999999)", "uuid.uuid4().int % 9999991",
            "int.from_bytes(os.urandom(3), 'big')", "random.SystemRandom().random()", compares=False),
    varying("seed that the system gives", "G = facula.Generator()", "G.seed() % 9973", compares=False),
    varying("clock", "", "time.time() % 1", "time.perf_counter() % 1", "time.monotonic_ns() % 9999991",
            "datetime.datetime.now().microsecond", "time.process_time_ns() % 9999991", compares=False),
    varying("clock under a name", "from time import perf_counter_ns as now", "now() % 9999991", compares=False),
    varying("counter of itertools", "I = itertools.count(2)", "next(I)", "I.__next__()"),
    varying("iterator made before", "I = iter(range(2, 99))", "next(I)", "next(I, 5)"),
    varying("cycle of itertools", "I = itertools.cycle(range(2, 999))", "next(I)"),
    varying("generator made before", "I = (number for number in range(2, 999))", "next(I)", "I.send(None)"),
    varying("zip made before", "I = zip(range(2, 999), range(999))", "next(I)[0]"),
    varying("enumeration in an attribute", "O = Box(enumerate('a' * 999, 2))", "next(O.k)[0]"),
    varying("queue", "Q = queue.Queue()\nfor number in range(2, 999): Q.put(number)", "Q.get()"),
    varying("file", "O = tempfile.TemporaryFile()\nO.write(bytes(range(1, 250)))\nO.seek(0)", "O.read(1)[0]"),
    Kind("file's place", "O = io.StringIO('abcde')\nO.seek(2)", "O.seek(V)", ("O.tell()",), BREAKS),
    Kind("buffer's bytes", "O = io.BytesIO(b'aa')", "O = io.BytesIO(b'a' * V)", ("len(O.getvalue())",), BREAKS),
    Kind("context variable", "C = contextvars.ContextVar('C', default=2)", "C.set(V)", ("C.get()", "C.get(7) * 1"),
         BREAKS),
    Kind("weak reference", "O = Box()\nR = weakref.ref(O)", "O.k = V", ("R().k",), BREAKS),
    Kind("weak reference that died", "O = Box()\nR = weakref.ref(O)",
         "if V == 3: del O\nelse: O = Box(); R = weakref.ref(O)",
         ("(2 if R() else 3)",), BREAKS),
    Kind("weak proxy", "O = Box()\nR = weakref.proxy(O)", "O.k = V", ("R.k",), BREAKS),
    Kind("dict with weak values", "O = Box()\nD = weakref.WeakValueDictionary(k=O)", "O.k = V", ("D['k'].k",), BREAKS),
    Kind("set of weak references", "class A: pass\nL = [A(), A()]\nS = weakref.WeakSet(L)",
         "L.append(A()) if V == 3 else L.pop()\nS.update(L)", ("len(S)",), BREAKS),
    Kind("lock", "L = threading.Lock()", "L.acquire() if V == 3 else L.release()", ("(3 if L.locked() else 2)",),
         BREAKS),
    Kind("event", "E = threading.Event()", "E.set() if V == 3 else E.clear()", ("(3 if E.is_set() else 2)",),
         RECAPTURES),
    Kind("variable of a thread", "O = threading.local()\nO.k = 2", "O.k = V", ("O.k",), BREAKS),
    Kind("queue's length", "Q = queue.SimpleQueue()\nQ.put(0)\nQ.put(0)", "Q.put(0) if V == 3 else Q.get()",
         ("Q.qsize()",),
         BREAKS),
    Kind("environment", "os.environ['FACULA_K'] = '2'", "os.environ['FACULA_K'] = str(V)",
         ("int(os.environ['FACULA_K'])", "float(os.getenv('FACULA_K'))",
          "int(os.environ.get('FACULA_K'))"), RECAPTURES, undo="del os.environ['FACULA_K']"),
    Kind("working directory", "KEPT = os.getcwd()", "os.chdir(('/', tempfile.gettempdir())[V - 2])",
         ("len(os.getcwd())",),
         BREAKS, undo="os.chdir(KEPT)"),
    Kind("limit of the interpreter", "KEPT = sys.getrecursionlimit()", "sys.setrecursionlimit(KEPT + V - 2)",
         ("sys.getrecursionlimit() - KEPT + 2",), BREAKS, undo="sys.setrecursionlimit(KEPT)"),
    Kind("garbage collector", "gc.enable()", "gc.disable() if V == 3 else gc.enable()",
         ("(2 if gc.isenabled() else 3)",),
         BREAKS, undo="gc.enable()"),
    Kind("level of a logger", LOGGED, "LOG.setLevel(10 * V)", ("LOG.level / 10", "LOG.getEffectiveLevel()"),
         RECAPTURES),
]  # fmt: skip


def effect(name: str, setup: str, lines: str, observe: str, change: str = "") -> Kind:
    """Return a kind for state that the function itself changes, in lines before its result, in each call."""
    body = "".join(f"    {line}\n" for line in lines.splitlines())
    setup = f"{setup}\ndef f(x):\n{body}    return x * 2"
    return Kind(name, setup, change, (), BREAKS, observe=observe, varies=not change)


def again(name: str, setup: str, lines: str, observe: str, change: str) -> Kind:
    """Return a kind for state that each call sets to the same value and the program changes between calls."""
    return effect(name, setup, lines, observe, change)._replace(behaviour=RECAPTURES)


EFFECTS = [
    effect("counter in a global", "K = 0", "global K\nK += 1", "K"),
    effect("counter in an attribute", "O = Box(0)", "O.k += 1", "O.k"),
    effect("counter in a list", "L = [0]", "L[0] += 1", "L"),
    effect("counter in a Counter", "C = collections.Counter()", "C['calls'] += 1", "C"),
    effect("counter in a closure", "def make():\n    k = 0\n    def add():\n        nonlocal k\n        k += 1\n"
     "        return k\n"
           "    return add, lambda: k\nADD, SHOW = make()", "ADD()", "SHOW()"),
    effect("counter in a class", "class A:\n    k = 0", "A.k += 1", "A.k"),
    effect("counter in a module", "own = types.ModuleType('own')\nown.k = 0", "own.k += 1", "own.k"),
    effect("counter in a function", "def g():\n    g.k += 1\ng.k = 0", "g()", "g.k"),
    effect("counter in an array", "A = np.zeros(2)", "A[0] += 1", "A.tolist()"),
    effect("counter in a bytearray", "B = bytearray(2)", "B[0] += 1", "B"),
    effect("counter of objects made", "class A:\n    made = 0\n    def __init__(self):\n        A.made += 1", "A()",
     "A.made"),
    effect("list that gets longer", "L = []", "L.append(x.shape[0])", "L"),
    effect("list that gets shorter", "L = [*range(99)]", "L.pop()", "L"),
    effect("deque that turns", "Q = collections.deque('abc')", "Q.rotate(1)", "Q"),
    effect("dict that gets entries", "D = {}", "D[len(D)] = 2", "D"),
    effect("set that gets entries", "S = set()", "S.add(len(S))", "S"),
    effect("kept tensors", "L = []", "L.append(x + 1)", "[one.tolist() for one in L]"),
    effect("kept tensor that is replaced", "O = Box()", "O.k = x + len(SEEN)\nSEEN.append(1)", "O.k.tolist()")
    ._replace(setup="O, SEEN = Box(), []\ndef f(x):\n    SEEN.append(1)\n    O.k = x + len(SEEN)\n    return x * 2"),
    effect("print", "OUT = io.StringIO()", "print('call', file=OUT)", "OUT.getvalue()"),
    effect("print by a name", "OUT = io.StringIO()\nshow = print", "show('call', file=OUT)", "OUT.getvalue()"),
    effect("write", "OUT = io.StringIO()", "OUT.write('call')", "OUT.getvalue()"),
    effect("log", LOGGED, "LOG.info('call')", "SEEN"),
    again("number of a global set again", "K = 0", "global K\nK = 5", "K", "K = V"),
    again("attribute set again", "O = Box(0)", "O.k = 5", "O.k", "O.k = V"),
    again("attribute set again by setattr", "O = Box(0)", "setattr(O, 'k', 5)", "O.k", "O.k = V"),
    again("list entry set again", "L = [0]", "L[0] = 5", "L", "L[0] = V"),
    again("dict entry set again", "D = {}", "D['k'] = 5", "D", "D['k'] = V"),
    again("dict updated again", "D = {}", "D.update(k=5)", "D", "D['k'] = V"),
    again("list cleared again", "L = []", "L.clear()", "L", "L.append(V)"),
    again("list sorted again", "L = [1, 2]", "L.sort()", "L", "L[:] = [V, 1]"),
    again("set entry removed again", "S = set()", "S.discard(3)", "S", "S.update({3, V})"),
    again("attribute deleted again", "O = Box()", "if hasattr(O, 'j'):\n    del O.j", "vars(O)", "O.j = V"),
    again("class attribute set again", "class A: pass", "A.k = 5", "A.k", "A.k = V"),
    again("array element set again", "A = np.zeros(2)", "A[0] = 5", "A.tolist()", "A[0] = V"),
    effect("context variable set", "C = contextvars.ContextVar('C', default=0)", "C.set(5)", "C.get()", "C.set(V)"),
    effect("environment set", "", "os.environ['FACULA_K'] = '5'", "os.environ['FACULA_K']",
     "os.environ['FACULA_K'] = str(V)")
    ._replace(undo="del os.environ['FACULA_K']"),
    again("event set", "E = threading.Event()", "E.set()", "E.is_set()", "E.clear()"),
    effect("seed of Python's random numbers", "", "random.seed(5)", "random.random()", "random.seed(V)"),
]  # fmt: skip

ARGUMENTS = [
    Kind(f"argument: {name}", f"{setup}\ndef f(x, a):\n    return x * ({read})", change, (), behaviour, args=args)
    for name, setup, read, args, change, behaviour in [
        ("number", "K = 2", "a", "(X, K)", "K = V", RECAPTURES),
        ("type of a number", "K = 2", "a * facula.ones(1, dtype=facula.int32)",
         "(facula.ones(1, dtype=facula.int32), K)",
         "K = {2: 2, 3: 2.0}[V]", RECAPTURES),
        ("sign of zero", "K = 0.0", "math.copysign(2, a)", "(X, K)", "K = (0.0, -0.0)[V - 2]", RECAPTURES),
        ("string", "K = 'aa'", "len(a)", "(X, K)", "K = 'a' * V", RECAPTURES),
        ("list entry", "L = [2]", "a[0]", "(X, L)", "L[0] = V", RECAPTURES),
        ("dict entry", "D = {'k': 2}", "a['k']", "(X, D)", "D['k'] = V", RECAPTURES),
        ("attribute", "O = Box()", "a.k", "(X, O)", "O.k = V", RECAPTURES),
        ("list in an attribute", "O = Box([2])", "a.k[0]", "(X, O)", "O.k[0] = V", RECAPTURES),
        ("function", "G = lambda: 2", "a()", "(X, G)", "G = (lambda: 2, lambda: 3)[V - 2]", RECAPTURES),
        ("array", "A = np.array([2.0])", "float(a[0])", "(X, A)", "A[0] = V", RECAPTURES),
        ("elements of a tensor", "T = X * 1", "a", "(X, T)", "T.fill_(float(V))", FOLLOWS),
        ("requires_grad of a tensor", "T = X * 1", "a", "(X, T)", "T.requires_grad_(V == 3)", RECAPTURES),
        ("shape of a tensor", "T = X * 1", "a.sum()", "(X, T)", "T = facula.ones(V)", RECAPTURES),
        ("type of a tensor", "T = X * 1", "a", "(X, T)", "T = (X, X.double())[V - 2]", RECAPTURES),
        ("strides of a tensor", "T = facula.ones(3, 3)", "a.stride(0)", "(X, T)",
         "T = (T, facula.ones(3, 6)[:, ::2])[V - 2]",
         RECAPTURES),
        ("tensor in a list", "T = [X * 1]", "a[0]", "(X, T)", "T[0] = X * V", FOLLOWS),
        ("iterator", "K = 2", "next(a)", "(X, iter([K]))", "K = V", BREAKS),
        ("generator of random numbers", "R = random.Random(5)", "a.random()", "(X, R)", "R.seed(V)", BREAKS),
    ]
]  # fmt: skip

KINDS = [*MODULES, *OUTSIDE, *EFFECTS, *ARGUMENTS]
