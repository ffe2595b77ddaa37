"""Kinds of state: attributes of objects and classes, methods, special methods, partial functions."""

from scenarios import BREAKS, RECAPTURES, Kind

INHERITED = "class A:\n    k = 2\nclass B(A): pass\nclass C(B): pass\nO = C()"
TWO_CLASSES = "class A:\n    k = 2\nclass B:\n    k = 3\nO = A()"
DATA = "@dataclasses.dataclass{0}\nclass Data:\n    k: float = 2\n    other: int = 5\nO = Data()"

ATTRIBUTES = [
    ("attribute", "O = Box()", "O.k = V",
     ("O.k", "getattr(O, 'k')", "vars(O)['k']", "O.__dict__['k']", "operator.attrgetter('k')(O)",
      "float('{0.k}'.format(O))", "float('%(k)s' % vars(O))",
      "operator.methodcaller('get')(O)", "functools.partial(getattr, O, 'k')()", "max([O], key=Box.get).k",
      "list(map(Box.get, [O]))[0]",
      "sorted([O.get()])[0]", "inspect.getattr_static(O, 'k')", "O.get()",
      "O.__getattribute__('k')", "object.__getattribute__(O, 'k')", "Box.get(O)",
      "[one for one in vars(O).values()][0]", "{**O.__dict__}['k']", "(lambda k: k)(**vars(O))"), RECAPTURES),
    ("attribute of an attribute", "O = Box(Box(Box()))", "O.k.k.k = V", ("O.k.k.k", "O.get().get().get()"), RECAPTURES),
    ("attribute deleted", "O = Box()", "if V == 3: del O.k\nelse: O.k = 2", ("O.k", "getattr(O, 'k', 4)"), RECAPTURES),
    ("attribute absent", "O = Box()", "if V == 3: O.j = 3\nelse: del O.j",
     ("getattr(O, 'j', 2)", "(3 if hasattr(O, 'j') else 2)", "len(vars(O)) + 1", "vars(O).get('j', 2)"), RECAPTURES),
    ("attribute that shadows the class's", "class A:\n    k = 2\nO = A()", "if V == 3: O.k = 3\nelse: del O.k",
     ("O.k",),
     RECAPTURES),
    ("class attribute", "class A:\n    k = 2\nO = A()", "A.k = V", ("O.k", "A.k", "type(O).k", "O.__class__.k",
     "getattr(A, 'k')", "vars(A)['k']"), RECAPTURES),
    ("attribute of a base class", INHERITED, "A.k = V", ("O.k", "C.k", "super(C, O).k"), RECAPTURES),
    ("class attribute that shadows a base's", INHERITED, "if V == 3: B.k = 3\nelse: del B.k", ("O.k", "C.k"),
     RECAPTURES),
    ("bases of a class", "class A:\n    k = 2\nclass B:\n    k = 3\nclass C(A): pass\nO = C()",
     "C.__bases__ = ((A,), (B,))[V - 2]", ("O.k", "C.k"), RECAPTURES),
    ("attribute of a metaclass", "class M(type):\n    k = 2\nclass A(metaclass=M): pass", "M.k = V", ("A.k",),
     RECAPTURES),
    ("property of a metaclass", "class M(type):\n    k = property(lambda cls: cls.j)\nclass A(metaclass=M):\n    j = 2",
     "A.j = V", ("A.k",), RECAPTURES),
    ("slot", "class A:\n    __slots__ = ('k', 'j')\nO = A()\nO.k = 2", "O.k = V", ("O.k", "getattr(O, 'k')"),
     RECAPTURES),
    ("slot set later", "class A:\n    __slots__ = ('k',)\nO = A()", "if V == 3: O.k = 3\nelse: del O.k",
     ("getattr(O, 'k', 2)", "(3 if hasattr(O, 'k') else 2)"), RECAPTURES),
    ("value behind a property", "class A(Box):\n    j = property(lambda self: self.k)\nO = A()", "O.k = V",
     ("O.j", "getattr(O, 'j')"), RECAPTURES),
    ("property replaced", "class A:\n    k = property(lambda self: 2)\nO = A()",
     "A.k = property((lambda self: 2, lambda self: 3)[V - 2])", ("O.k",), RECAPTURES),
    ("state of a descriptor", "class D(Box):\n    def __get__(self, owner, kind):\n        return self.k\n"
     "class A:\n    j = D()\nO = A()", "vars(A)['j'].k = V", ("O.j", "A.j"), RECAPTURES),
    ("class of an object", TWO_CLASSES, "O.__class__ = (A, B)[V - 2]",
     ("O.k", "(2 if type(O) is A else 3)", "(3 if isinstance(O, B) else 2)", "(3 if O.__class__ is B else 2)"),
     RECAPTURES),
    ("class that a name means", TWO_CLASSES + "\nK = A", "K = (A, B)[V - 2]",
     ("K.k", "K().k", "(2 if isinstance(O, K) else 3)", "(2 if issubclass(A, (K, int)) else 3)"), RECAPTURES),
    ("class registered with an abstract one", "class I(abc.ABC): pass\nO = Box()\nclass J(abc.ABC): pass",
     "I, J = J, I\nI.register(Box) if V == 3 else None", ("(3 if isinstance(O, I) else 2)",), RECAPTURES),
    ("name of a class", "class A: pass\nO = A()", "A.__name__ = 'A' * V", ("len(type(O).__name__)", "len(A.__name__)"),
     RECAPTURES),
    ("result of __getattr__", "class A:\n    def __getattr__(self, name):\n        return TABLE[name]\nO = A()\n"
     "TABLE = {'k': 2}", "TABLE['k'] = V", ("O.k", "getattr(O, 'k')"), RECAPTURES),
    ("attribute in place of __getattr__", "class A:\n    def __getattr__(self, name):\n        return 2\nO = A()",
     "if V == 3: O.k = 3\nelse: del O.k", ("O.k",), RECAPTURES),
    ("__getattr__ added", "class A: pass\nO = A()",
     "if V == 3: A.__getattr__ = lambda self, name: 3\nelse: del A.__getattr__", ("getattr(O, 'k', 2)",), RECAPTURES),
    ("__getattribute__ replaced", "class A(Box):\n    def __getattribute__(self, name):\n        return 2\nO = A()",
     "A.__getattribute__ = (lambda self, name: 2, lambda self, name: 3)[V - 2]", ("O.k",), RECAPTURES),
    ("object replaced", "O = Box()", "O = Box(V)", ("O.k", "O.get()"), RECAPTURES),
    ("dict of attributes replaced", "O = Box()", "O.__dict__ = {'k': V}", ("O.k", "vars(O)['k']"), RECAPTURES),
    ("object in a list", "L = [Box(), Box()]", "L[1].k = V", ("L[1].k", "max(one.k for one in L)"), RECAPTURES),
    ("object in a dict of an object", "O = Box({'a': Box()})", "O.k['a'].k = V", ("O.k['a'].k",), RECAPTURES),
    ("object in a closure", "def make(box):\n    return lambda: box.k\nB = Box()\nREAD = make(B)", "B.k = V",
     ("READ()",),
     RECAPTURES),
    ("object in itself", "O = Box()\nO.me = O", "O.k = V", ("O.me.me.k",), RECAPTURES),
    ("field of a dataclass", DATA.format(""), "O.k = V", ("O.k", "getattr(O, 'k')"), RECAPTURES),
    ("frozen dataclass replaced", DATA.format("(frozen=True)"), "O = dataclasses.replace(O, k=V)",
     ("O.k", "(2 if O == Data() else 3)"), RECAPTURES),
    ("dataclass with slots", DATA.format("(slots=True)"), "O.k = V", ("O.k",), RECAPTURES),
    ("named tuple", "class P(NamedTuple):\n    k: int\nO = P(2)", "O = P(V)", ("O.k", "O[0]", "O._asdict()['k']"),
     RECAPTURES),
    ("namespace", "O = types.SimpleNamespace(k=2)", "O.k = V", ("O.k", "vars(O)['k']"), RECAPTURES),
    ("enum member", "class E(enum.Enum):\n    LOW = 2\n    HIGH = 3\nK = E.LOW", "K = (E.LOW, E.HIGH)[V - 2]",
     ("K.value", "(2 if K is E.LOW else 3)", "len(K.name)"), RECAPTURES),
    ("integer enum in an attribute", "class E(enum.IntEnum):\n    LOW = 2\n    HIGH = 3\nO = Box(E.LOW)", "O.k = E(V)",
     ("O.k", "O.k.value", "O.k + 0"), RECAPTURES),
    ("flags", "class E(enum.Flag):\n    A = 1\n    B = 2\nK = E.A | E.B", "K ^= E.B", ("(2 if E.B in K else 3)",
     "K.value"),
     RECAPTURES),
    ("attribute of a dict's subclass", "class D(dict): pass\nO = D(k=2)\nO.j = 2", "O['k'] = O.j = V", ("O.j",
     "O['k']"),
     RECAPTURES),
    ("entries of a list's subclass", "class L(list): pass\nO = L([2])", "O[0] = V", ("O[0]", "sum(O)"), RECAPTURES),
    ("number's subclass", "class N(int): pass\nO = N(2)\nO.k = 2", "O.k = V", ("O.k",), RECAPTURES),
    ("exception's arguments", "E = ValueError(2)", "E = ValueError(V)", ("E.args[0]",), RECAPTURES),
    ("class of exceptions", "CAUGHT = KeyError\ndef g():\n    try:\n        raise KeyError\n    except CAUGHT:\n"
     "        return 2\n    except LookupError:\n        return 3", "CAUGHT = (KeyError, IndexError)[V - 2]", ("g()",),
     RECAPTURES),
    ("annotations", "class A:\n    k: 2", "A.__annotations__['k'] = V", ("float(A.__annotations__['k'])",), RECAPTURES),
    ("object copied", "O = Box()", "O.k = V", ("copy.copy(O).k", "copy.deepcopy(O).k"), BREAKS),
    ("object pickled", "O = Box()", "O.k = V", ("pickle.loads(pickle.dumps(O)).k",), BREAKS),
    ("object as text", "D = {'k': 2}", "D['k'] = V", ("json.loads(json.dumps(D))['k']",), BREAKS),
]  # fmt: skip

# Methods that operators and built-in functions call: (name, an expression that calls it, its result for V).
SPECIAL = [
    ("__len__", "len(O)", "V"), ("__bool__", "(3 if O else 2)", "V == 3"), ("__call__", "O()", "V"),
    ("__getitem__", "O['k']", "V"), ("__iter__", "[*O][0]", "iter([V])"), ("__contains__", "(3 if 1 in O else 2)",
     "V == 3"),
    ("__eq__", "(3 if O == 1 else 2)", "V == 3"), ("__lt__", "(3 if O < 1 else 2)", "V == 3"), ("__add__", "O + 1",
     "V"),
    ("__rmul__", "1 * O", "V"), ("__neg__", "-O", "V"), ("__float__", "float(O)", "float(V)"),
    ("__index__", "[0, 0, 2, 3][O]", "V"), ("__str__", "len(str(O))", "'s' * V"), ("__abs__", "abs(O)", "V"),
    ("__enter__", "entered()", "V"), ("__matmul__", "O @ 1", "V"), ("__round__", "round(O)", "V"),
    ("__format__", "len(f'{O}')", "'s' * V"), ("__getattr__", "O.missing", "V"), ("__iadd__", "operator.iadd(O, 1)",
     "V"),
]  # fmt: skip
SPECIAL_CLASS = """
def returning(V):
    return lambda self, *args: {value}
class S:
    __exit__ = {name} = returning(2)
O = S()
def entered():
    with O as value:
        return value
"""

METHODS = [
    *[(f"{name} replaced", SPECIAL_CLASS.format(name=name, value=value), f"S.{name} = returning(V)", (read,),
     RECAPTURES)
      for name, read, value in SPECIAL],
    ("what __call__ reads", "class A(Box):\n    __call__ = Box.get\nO = A()", "O.k = V", ("O()",), RECAPTURES),
    ("what __iter__ reads", "class A(Box):\n    def __iter__(self):\n        yield self.k\nO = A()", "O.k = V",
     ("sum(O)", "[*O][0]", "max(one for one in O)"), RECAPTURES),
    ("special method of a C function", "L = [0, 0]\nclass A:\n    __len__ = L.__len__\nO = A()", "L[:] = [0] * V",
     ("len(O)",), RECAPTURES),
    ("property of a C function", "D = {}\nclass A:\n    j = property(operator.attrgetter('k'))\n    k = 2\nO = A()",
     "O.k = V", ("O.j",), RECAPTURES),
    ("method replaced on the class", "class A:\n    def m(self): return 2\nO = A()",
     "A.m = (lambda self: 2, lambda self: 3)[V - 2]", ("O.m()", "A.m(O)", "getattr(O, 'm')()"), RECAPTURES),
    ("method replaced on the object", "class A:\n    def m(self): return 2\nO = A()",
     "if V == 3: O.m = lambda: 3\nelse: del O.m", ("O.m()",), RECAPTURES),
    ("method of a base replaced", "class A:\n    def m(self): return 2\nclass B(A):\n"
     "    def m(self): return super().m()\n"
     "O = B()", "A.m = (lambda self: 2, lambda self: 3)[V - 2]", ("O.m()", "super(B, O).m()"), RECAPTURES),
    ("static method replaced", "class A:\n    m = staticmethod(lambda: 2)",
     "A.m = staticmethod((lambda: 2, lambda: 3)[V - 2])",
     ("A.m()", "A().m()"), RECAPTURES),
    ("class method", "class A:\n    k = 2\n    @classmethod\n    def m(cls): return cls.k\nclass B(A): pass", "B.k = V",
     ("B.m()", "B().m()"), RECAPTURES),
    ("code of a method", "class A:\n    def m(self): return 2\nO = A()",
     "A.m.__code__ = (lambda self: 2, lambda self: 3)[V - 2].__code__", ("O.m()",), RECAPTURES),
    ("default of a method", "class A:\n    def m(self, k=2): return k\nO = A()", "A.m.__defaults__ = (V,)", ("O.m()",),
     RECAPTURES),
    ("owner of a bound method", "O = Box()\nM = O.get", "O.k = V", ("M()", "M.__self__.k", "M.__func__(M.__self__)"),
     RECAPTURES),
    ("bound method replaced", "M = Box().get", "M = Box(V).get", ("M()",), RECAPTURES),
    ("entry of a partial's arguments", "P = functools.partial(lambda one: one[0], [2])", "P.args[0][0] = V", ("P()",),
     RECAPTURES),
    ("keyword of a partial", "P = functools.partial(lambda k: k, k=2)", "P.keywords['k'] = V",
     ("P()", "P.keywords['k']"), RECAPTURES),
    ("function of a partial", "P = functools.partial(lambda: 2)",
     "P.__setstate__(((lambda: 2, lambda: 3)[V - 2], (), {}, {}))", ("P()", "P.func()"), RECAPTURES),
    ("partial replaced", "P = functools.partial(lambda k: k, 2)", "P = functools.partial(lambda k: k, V)", ("P()",),
     RECAPTURES),
    ("partial method", "class A(Box):\n    def m(self, other): return self.k\n"
     "    j = functools.partialmethod(m, 1)\nO = A()",
     "O.k = V", ("O.j()",), RECAPTURES),
    ("functions in a list", "L = [lambda: 2, lambda: 3]", "L.reverse()", ("L[0]()", "[one() for one in L][0]"),
     RECAPTURES),
    ("functions in a dict", "D = {'a': lambda: 2}", "D['a'] = (lambda: 2, lambda: 3)[V - 2]", ("D['a']()",),
     RECAPTURES),
    ("table of functions that a decorator fills", "D = {}\ndef add(g):\n    D['g'] = g\n    return g\n@add\n"
     "def g(): return 2",
     "add((lambda: 2, lambda: 3)[V - 2])", ("D['g']()",), RECAPTURES),
    ("function that a decorator wrapped", "def wrap(g):\n    @functools.wraps(g)\n    def wrapper(): return g()\n"
     "    return wrapper\n@wrap\ndef g(): return 2", "g.__closure__[0].cell_contents = (lambda: 2, lambda: 3)[V - 2]",
     ("g()",), RECAPTURES),
    ("cached function", "K = 2\n@functools.lru_cache\ndef g(): return K", "K = V\ng.cache_clear()", ("g()",), BREAKS),
    ("cached property", "class A(Box):\n    j = functools.cached_property(Box.get)\nO = A()\nO.j",
     "O.k = V\ndel O.j\nO.j",
     ("O.j",), RECAPTURES),
    ("generic function", "@functools.singledispatch\ndef g(one): return 2",
     "g.register(int, (lambda one: 2, lambda one: 3)[V - 2])",
     ("g(1)",), BREAKS),
    ("signature of a function", "def g(k=2): pass", "g.__defaults__ = (V,)",
     ("inspect.signature(g).parameters['k'].default",),
     BREAKS),
    ("function run in another thread", "K = 2\ndef g():\n    out = []\n"
     "    one = threading.Thread(target=lambda: out.append(K))\n"
     "    one.start()\n    one.join()\n    return out[0]", "K = V", ("g()",), BREAKS),
    ("coroutine", "K = 2\nasync def g(): return K", "K = V", ("asyncio.run(g())",), BREAKS),
    ("order by a class", "@functools.total_ordering\nclass A(Box):\n"
     "    def __lt__(self, other): return self.k < other\n"
     "    def __eq__(self, other): return self.k == other\nO = A()", "O.k = V", ("(3 if O >= 2.5 else 2)",
     "(3 if O > 2 else 2)"), RECAPTURES),
    ("check of instances", "class M(type):\n    def __instancecheck__(self, one): return self.k == one\n"
     "class A(metaclass=M):\n    k = 2", "A.k = V", ("(2 if isinstance(2, A) else 3)",), RECAPTURES),
    ("entries by numbers", "class A(Box):\n    def __getitem__(self, at):\n        if at: raise IndexError\n"
     "        return self.k\nO = A()",
     "O.k = V", ("[*O][0]", "sum(O)", "list(reversed([*O]))[0]"), RECAPTURES),
    ("text of a dataclass", DATA.format(""), "O.k = V", ("float(repr(O).split('k=')[1].split(',')[0])",), RECAPTURES),
    ("class of a name's parameter", "class A:\n    k = 2\n"
     "    def __class_getitem__(cls, name): return getattr(cls, name)", "A.k = V",
     ("A['k']",), RECAPTURES),
    ("descriptor that sets", "class D:\n    def __get__(self, owner, kind): return owner._k\n"
     "    def __set__(self, owner, value):\n"
     "        owner._k = value\nclass A:\n    k = D()\nO = A()\nO.k = 2", "O.k = V", ("O.k",), RECAPTURES),
    ("generator function", "K = 2\ndef g():\n    yield K", "K = V", ("next(g())", "sum(g())", "[*g()][0]"), RECAPTURES),
    ("method of a dict under a name", "D = {'k': 2}\nC = D.get", "D['k'] = V", ("C('k')", "[C(one) for one in 'k'][0]"),
     RECAPTURES),
    ("method of a list under a name", "L = [0, 0]\nO = Box(L.__len__)", "L[:] = [0] * V", ("O.k()",), RECAPTURES),
    ("method of a dict as a key", "D = {'a': 2, 'b': 1}\nN = [3, 2]", "D['b'] = V * 2 - 3",
     ("(2 if max('ab', key=D.get) == 'a' else 3)", "(2 if sorted('ab', key=D.get)[1] == 'a' else 3)",
      "list(map(D.get, 'b'))[0] + 1"), RECAPTURES),
    ("getter made before", "O = Box()\nG = operator.attrgetter('k')", "O.k = V", ("G(O)",), RECAPTURES),
    ("C function that a name means", "C = math.floor", "C = (math.floor, math.ceil)[V - 2]", ("C(2.5)",), RECAPTURES),
    ("compiled pattern", "P = re.compile('a')", "P = re.compile('a' * (V - 1))", ("len(P.sub('b', 'aa'))",),
     RECAPTURES),
]  # fmt: skip

KINDS: list[Kind | tuple] = [*ATTRIBUTES, *METHODS]
