"""Kinds of state: names, numbers, containers, NumPy's numbers and arrays."""

from scenarios import BREAKS, RECAPTURES, Kind

CELL = """
def make():
    k = 2
    def read():
        return k
    def write(value):
        nonlocal k
        k = value
    def forget():
        nonlocal k
        del k
    return read, write, forget
READ, WRITE, FORGET = make()
"""

NAMES = [
    ("global number", "K = 2", "K = V", ("K", "math.sqrt(K)", "round(K * 1.5)", "K.__add__(1)"), RECAPTURES),
    ("type of a global number", "K = 2", "K = {2: 2, 3: 2.0}[V]", ("(3 if isinstance(K, float) else 2)",
     "facula.full((1,), K).is_floating_point() + 2",
     "len(str(K))", "(2 if type(K) is int else 3)"), RECAPTURES),
    ("global string", "K = 'aa'", "K = 'a' * V", ("len(K)", "K.count('a')", "{'aa': 2}.get(K, 3)"), RECAPTURES),
    ("global bytes", "K = b'aa'", "K = b'a' * V", ("len(K)", "K.count(b'a')"), RECAPTURES),
    ("global flag", "K = None", "K = None if V == 2 else 0", ("(2 if K is None else 3)",), RECAPTURES),
    ("global complex number", "K = 2 + 1j", "K = V + 1j", ("K.real", "abs(K)"), RECAPTURES),
    ("global fraction", "K = fractions.Fraction(2)", "K = fractions.Fraction(V)", ("K.numerator",), RECAPTURES),
    ("global decimal", "K = decimal.Decimal(2)", "K = decimal.Decimal(V)", ("float(K)",), BREAKS),
    ("global range", "K = range(2)", "K = range(V)", ("len(K)", "sum(1 for _ in K)"), RECAPTURES),
    ("global slice", "K = slice(2)", "K = slice(V)", ("K.stop", "len([0, 0, 0, 0][K])"), RECAPTURES),
    ("global name deleted", "K = 2", "if V == 3: del K\nelse: K = 2", ("K",), RECAPTURES),
    ("closure cell", CELL, "WRITE(V)", ("READ()",), RECAPTURES),
    ("closure cell, set directly", CELL, "READ.__closure__[0].cell_contents = V", ("READ()",), RECAPTURES),
    ("closure cell, emptied", CELL, "FORGET() if V == 3 else WRITE(2)", ("READ()",), RECAPTURES),
    ("default argument", "def g(k=2): return k", "g.__defaults__ = (V,)", ("g()",), RECAPTURES),
    ("list in a default argument", "def g(k=[2]): return k[0]", "g.__defaults__[0][0] = V", ("g()",), RECAPTURES),
    ("keyword default", "def g(*, k=2): return k", "g.__kwdefaults__['k'] = V", ("g()",), RECAPTURES),
    ("keyword defaults replaced", "def g(*, k=2): return k", "g.__kwdefaults__ = {'k': V}", ("g()",), RECAPTURES),
    ("code of a function", "def g(): return 2", "g.__code__ = ((lambda: 2), (lambda: 3))[V - 2].__code__", ("g()",),
     RECAPTURES),
    ("function replaced", "def g(): return 2", "g = ((lambda: 2), (lambda: 3))[V - 2]", ("g()",), RECAPTURES),
    ("attribute of a function", "def g(): pass\ng.k = 2", "g.k = V", ("g.k",), RECAPTURES),
    ("name of a function", "def g(): pass", "g.__name__ = 'g' * V", ("len(g.__name__)",), RECAPTURES),
    ("builtin shadowed by a global", "", "if V == 3: abs = lambda value: 3\nelse: del abs", ("abs(-2)",), RECAPTURES),
    Kind("name added to builtins", "builtins.ADDED = 2", "builtins.ADDED = V", ("ADDED", "builtins.ADDED"), RECAPTURES,
         undo="del builtins.ADDED"),
    ("variable read by eval", "K = 2", "K = V", ("eval('K')", "eval('[K][0]')"), BREAKS),
    ("variable read by globals()", "K = 2", "K = V", ("globals()['K']", "globals().get('K')"), BREAKS),
    ("variable read by a frame", "K = 2", "K = V", ("sys._getframe().f_globals['K']",), BREAKS),
    ("globals of a function", "K = 2\ndef g(): pass", "K = V", ("g.__globals__['K']",), BREAKS),
]  # fmt: skip

CONTAINERS = [
    ("list entry", "L = [2, 5, 7]", "L[0] = V",
     ("L[0]", "L[-3]", "sum(L) - 12", "min(L)", "next(iter(L))", "[*L][0]", "L[:1][0]", "L.copy()[0]", "sorted(L)[0]",
      "math.prod(L) / 35", "max(0, *L[:1])", "list(zip(L, L))[0][1]", "list(enumerate(L))[0][1]", "(L + [1])[0]",
      "list(reversed(L))[-1]", "functools.reduce(operator.add, L)", "operator.getitem(L, 0)", "float(str(L[0]))",
      "list(itertools.chain(L, L))[3]", "tuple(L)[0]",
      "L.index(5) + L[0]", "sum(one for one in L if one < 4)", "float(np.sqrt(L[0]))", "(3 if 3 in L else 2)"),
     RECAPTURES),
    ("list length", "L = [0, 0]", "L[:] = [0] * V",
     ("len(L)", "L.__len__()", "sum(1 for _ in L)", "L.count(0)", "(3 if L[2:] else 2)", "len([*L])"), RECAPTURES),
    ("list order", "L = [2, 3]", "L.reverse()", ("L[0]", "next(iter(L))"), RECAPTURES),
    ("list in lists", "L = [[[2]]]", "L[0][0][0] = V", ("L[0][0][0]", "sum(sum(L, [])[0])"), RECAPTURES),
    ("long list", "L = [0] * 5000 + [2]", "L[-1] = V", ("L[5000]", "sum(L)", "max(L)"), RECAPTURES),
    ("global tuple", "T = (2, 5)", "T = (V, 5)", ("T[0]", "min(T)"), RECAPTURES),
    ("list in a tuple", "T = (1, [2])", "T[1][0] = V", ("T[1][0]",), RECAPTURES),
    ("dict entry", "D = {'k': 2, 'j': 5}", "D['k'] = V",
     ("D['k']", "D.get('k')", "[*D.values()][0]", "{**D}['k']", "dict(D)['k']", "(D | {})['k']", "min(D.values())",
      "[one for _, one in D.items()][0]", "operator.itemgetter('k')(D)", "D.copy()['k']",
      "float('{k}'.format_map(D))", "D.__getitem__('k')"), RECAPTURES),
    ("list that NumPy reads", "L = [2, 5]", "L[0] = V", ("int(np.array(L)[0])", "int(np.sum(L))", "bytes(L)[0]",
     "array.array('d', L)[0]", "heapq.nsmallest(1, L)[0]", "statistics.fmean(L)", "struct.pack('bb', *L)[0]",
     "3 - bisect.bisect(L, 2.5)", "list(itertools.accumulate(L))[1]"), RECAPTURES),
    ("list that the library reads", "L = [2, 3]", "L[0] = V", ("facula.tensor(L).min()", "facula.ones(L).sum()",
     "facula.ones(*L).sum()", "X.new_tensor(L).sum()", "F.pad(X, L).sum() + F.pad(X, L).numel()",
     "facula.full((1,), *L[:1])",
     "facula.zeros(tuple(L)).numel()", "facula.arange(L[0], L[0] + 1)", "facula.as_tensor(L).sum()",
     "X.repeat(L).numel()"),
     RECAPTURES, "tensors"),
    ("string that the library reads", "K = 'ij->'", "K = ('ij->', 'ij->i')[V - 2]",
     ("facula.einsum(K, facula.ones(3, 3))",),
     RECAPTURES, "tensors"),
    ("type that the library reads", "K = facula.float32", "K = (facula.float32, facula.float64)[V - 2]",
     ("facula.ones(3, dtype=K)", "X.to(K)", "K.itemsize", "(2 if K == facula.float32 else 3)"), RECAPTURES, "tensors"),
    ("dict of arguments", "D = {'dim': 0, 'keepdim': True}", "D['dim'] = V - 2",
     ("facula.arange(9.0).view(3, 3).sum(**D)",), RECAPTURES, "tensors"),
    ("dict order", "D = {'a': 2, 'b': 3}", "D[key] = D.pop(key := next(iter(D)))",
     ("next(iter(D.values()))", "[*D.values()][0]", "list(D.items())[0][1]"), RECAPTURES),
    ("dict entry absent", "D = {}", "D.update(k=3) if V == 3 else D.clear()",
     ("D.get('k', 2)", "(3 if 'k' in D else 2)", "len(D) + 2", "(D or {'k': 2})['k']"), RECAPTURES),
    ("dict entry deleted", "D = {'k': 2}", "if V == 3: del D['k']\nelse: D['k'] = 2", ("D['k']",), RECAPTURES),
    ("dict in dicts", "D = {'a': {'b': {'c': 2}}}", "D['a']['b']['c'] = V", ("D['a']['b']['c']",), RECAPTURES),
    ("large dict", "D = {at: 2 for at in range(3000)}", "D[2999] = V", ("D[2999]", "max(D.values())"), RECAPTURES),
    ("dict view made before", "D = {'k': 2}\nVALUES = D.values()", "D['k'] = V", ("min(VALUES)", "[*VALUES][0]"),
     BREAKS),
    ("default of a missing entry", "class D(dict):\n    def __missing__(self, key):\n        return self.k\n"
     "O = D()\nO.k = 2",
     "O.k = V", ("O['j']",), RECAPTURES),
    ("keys that compare themselves", "class A(Box):\n    def __hash__(self): return 1\n"
     "    def __eq__(self, other): return self.k == other.k\nD = {A(2): 2, A(9): 3}\nO = A(2)",
     "O.k = 2 if V == 2 else 9",
     ("D[O]", "D.get(O)", "[*D].index(O) + 2"), RECAPTURES),
    ("set", "S = {1, 2}", "S ^= {3}", ("len(S)", "(3 if 3 in S else 2)", "sum(S)", "max(S)"), RECAPTURES),
    ("frozenset in an attribute", "B = Box(frozenset('ab'))", "B.k = frozenset('abc'[:V])",
     ("len(B.k)", "(3 if 'c' in B.k else 2)"), RECAPTURES),
    ("deque", "Q = collections.deque([2, 5])", "Q[0] = V", ("Q[0]", "min(Q)", "Q.copy()[0]"), RECAPTURES),
    ("deque length", "Q = collections.deque('ab')", "Q.append(0) if V == 3 else Q.pop()", ("len(Q)",), RECAPTURES),
    ("Counter", "C = collections.Counter('aab')", "C['a'] = V", ("C['a']", "C.most_common(1)[0][1]"), RECAPTURES),
    ("defaultdict", "D = collections.defaultdict(int, k=2)", "D['k'] = V", ("D['k']", "D.get('k')"), RECAPTURES),
    ("OrderedDict order", "D = collections.OrderedDict(a=2, b=3)", "D.move_to_end(next(iter(D)))",
     ("[*D.values()][0]", "next(iter(D.values()))"), RECAPTURES),
    ("ChainMap", "A = {'k': 2}\nC = collections.ChainMap({}, A)", "A['k'] = V", ("C['k']",), RECAPTURES),
    ("ChainMap, first dict", "C = collections.ChainMap({}, {'k': 2})",
     "C.maps[0].update(k=3) if V == 3 else C.maps[0].clear()", ("C['k']",), RECAPTURES),
    ("UserDict", "D = collections.UserDict(k=2)", "D['k'] = V", ("D['k']", "D.data['k']"), RECAPTURES),
    ("mapping proxy", "D = {'k': 2}\nP = types.MappingProxyType(D)", "D['k'] = V", ("P['k']",), RECAPTURES),
    ("bytearray", "B = bytearray(b'\\x02\\x05')", "B[0] = V", ("B[0]", "min(B)", "int.from_bytes(B[:1], 'big')"),
     RECAPTURES),
    ("array.array", "A = array.array('d', [2, 5])", "A[0] = V", ("A[0]", "min(A)", "A.tolist()[0]"), RECAPTURES),
    ("memoryview", "B = bytearray(b'\\x02')\nM = memoryview(B)", "B[0] = V", ("M[0]", "M.tolist()[0]"), BREAKS),
    ("ctypes number", "C = ctypes.c_double(2)", "C.value = V", ("C.value",), BREAKS),
    ("ctypes array", "C = (ctypes.c_int * 2)(2, 5)", "C[0] = V", ("C[0]", "min(C)"), BREAKS),
    ("ctypes structure", "class S(ctypes.Structure):\n    _fields_ = [('k', ctypes.c_int)]\nC = S(2)", "C.k = V",
     ("C.k",), BREAKS),
]  # fmt: skip

ARRAYS = [
    ("NumPy scalar", "K = np.float32(2)", "K = np.float32(V)", ("K", "float(K)", "K.item()"), RECAPTURES),
    ("type of a NumPy scalar", "K = np.float32(2)", "K = {2: np.float32, 3: np.float64}[V](2)",
     ("K.itemsize // 4 + 1", "K.dtype.itemsize / 4"),
     RECAPTURES),
    ("element of an array", "A = np.array([2.0, 5.0])", "A[0] = V",
     ("float(A[0])", "A.item(0)", "A.tolist()[0]", "float(A.min())", "float(A.sum())", "[*A][0]", "float(np.min(A))",
      "facula.tensor(A).min()", "facula.as_tensor(A.copy()).sum()"), RECAPTURES, "tensors"),
    ("array replaced", "A = np.array([2.0, 5.0])", "A = np.array([V, 5.0])", ("float(A[0])", "float(A.min())"),
     RECAPTURES),
    ("type of an array", "A = np.zeros(3, 'f4')", "A = A.astype({2: 'f4', 3: 'f8'}[V])", ("A.itemsize // 4 + 1",
     "A.dtype.itemsize"), RECAPTURES),
    ("shape of an array", "A = np.zeros((2, 3), 'f4')", "A = A.reshape(V, 6 // V)", ("A.shape[0]", "len(A)"),
     RECAPTURES),
    ("strides of an array", "A = np.array([[1, 2], [3, 4]])", "A = A.T", ("float(A[0, 1])", "A.tolist()[0][1]"),
     RECAPTURES),
    ("array without copy", "A = np.array([2.0, 2.0, 2.0], 'f4')", "A[:] = V", ("facula.from_numpy(A)",
     "facula.from_numpy(A).sum()"), RECAPTURES, "tensors"),
    ("large array", "A = np.full(3_000_000, 2.0)", "A[-1] = V", ("float(A[-1])", "float(A.max())"), BREAKS),
    ("array of objects", "A = np.array([2, 'a'], object)", "A[0] = V", ("A[0]",), BREAKS),
    ("structured array", "A = np.zeros(2, [('k', 'f4')])\nA['k'] = 2", "A['k'] = V", ("float(A['k'][0])",), RECAPTURES),
    ("view of an array", "B = np.array([2.0, 5.0])\nA = B[:1]", "B[0] = V", ("float(A[0])",), RECAPTURES),
    ("mean of a list by NumPy", "L = [2.0, 2.0]", "L[:] = [V, V]", ("float(np.mean(L))",), RECAPTURES),
]  # fmt: skip

SAME = "(2 if K is J else 3)"
ANOTHER = """
def another(value):
    return copy.deepcopy([value, []])[0] if isinstance(value, list) else pickle.loads(pickle.dumps(value))
"""

IDENTITIES = [
    ("identity of a tuple", ANOTHER + "J = K = (2, 5.5)", "K = J if V == 2 else another(J)",
     (SAME, "(3 if K is not J else 2)", "[3, 2][K is J]", "(2 if (tuple(K) is J) else 3)",
      "(2 if max([K]) is J else 3)", "[3, 2][operator.is_(K, J)]", "[2, 3][operator.is_not(K, J)]",
      "[3, 2][all(map(operator.is_, [K], [J]))]",
      "len([one for one in (J, None, 0) if one is not K])"), RECAPTURES),
    ("identity of a string", ANOTHER + "J = K = 'of two words'", "K = J if V == 2 else another(J)",
     (SAME, "(2 if str(K) is J else 3)", "(2 if K[:] is J else 3)", "(2 if f'{K}' is J else 3)"), RECAPTURES),
    ("identity of bytes", ANOTHER + "J = K = b'some bytes'", "K = J if V == 2 else another(J)", (SAME,), RECAPTURES),
    ("identity of an integer", ANOTHER + "J = K = 10**9", "K = J if V == 2 else another(J)",
     (SAME, "(2 if int(K) is J else 3)", "(2 if sorted([K, 10**10])[0] is J else 3)"), RECAPTURES),
    ("identity of a number", ANOTHER + "J = K = 2.5", "K = J if V == 2 else another(J)", (SAME,), RECAPTURES),
    ("identity of a NumPy number", ANOTHER + "J = K = np.float32(2.5)", "K = J if V == 2 else another(J)", (SAME,),
     RECAPTURES),
    ("identity of a literal", ANOTHER + "def words():\n    return 'two words'\nK = words()",
     "K = words() if V == 2 else another(words())",
     ("(2 if K is words() else 3)", "(2 if words() is K else 3)"), RECAPTURES),
    ("identity of an entry", ANOTHER + "J = (2, 5.5)\nL = [J, 7]", "L[0] = J if V == 2 else another(J)",
     ("(2 if L[0] is J else 3)", "(2 if any(one is J for one in L) else 3)", "(2 if L[-2] is J else 3)"), RECAPTURES),
    ("identity of an entry of a dict", ANOTHER + "J = (2, 5.5)\nD = {'k': J, 'j': 7}",
     "D['k'] = J if V == 2 else another(J)",
     ("(2 if D['k'] is J else 3)", "(2 if D.get('k') is J else 3)", "(2 if [*D.values()][0] is J else 3)"), RECAPTURES),
    ("identity of a key", ANOTHER + "J = 'two words'\nD = {J: 2}", "D = {J if V == 2 else another(J): 2}",
     ("(2 if next(iter(D)) is J else 3)", "(2 if [*D][0] is J else 3)"), RECAPTURES),
    ("identity of an entry of a set", ANOTHER + "J = 'two words'\nS = {J}\nD = collections.deque([J])",
     "S.clear()\nS.add(one := J if V == 2 else another(J))\nD[0] = one",
     ("(2 if next(iter(S)) is J else 3)", "(2 if D[0] is J else 3)"), RECAPTURES),
    ("identity of an entry of a tuple", ANOTHER + "J = 'two words'\nT = (J, 2)",
     "T = (J if V == 2 else another(J), 2)", ("(2 if T[0] is J else 3)",), RECAPTURES),
    ("identity of an attribute", ANOTHER + "J = (2, 5.5)\nB = Box(J)", "B.k = J if V == 2 else another(J)",
     ("(2 if B.k is J else 3)", "(2 if B.get() is J else 3)", "(2 if getattr(B, 'k') is J else 3)",
      "(2 if vars(B)['k'] is J else 3)"), RECAPTURES),
    ("identity of a slot", ANOTHER + "class S:\n    __slots__ = 'k'\nJ = (2, 5.5)\nB = S()\nB.k = J",
     "B.k = J if V == 2 else another(J)", ("(2 if B.k is J else 3)",), RECAPTURES),
    ("identity of an attribute of a class", ANOTHER + "class C:\n    k = (2, 5.5)\nJ = C.k",
     "C.k = J if V == 2 else another(J)", ("(2 if C.k is J else 3)", "(2 if C().k is J else 3)"), RECAPTURES),
    ("identity of a default argument", ANOTHER + "J = (2, 5.5)\ndef g(k=J): return 2 if k is J else 3",
     "g.__defaults__ = (J if V == 2 else another(J),)", ("g()",), RECAPTURES),
    ("identity of what a partial keeps", ANOTHER + "J = (2, 5.5)\ndef g(k): return 2 if k is J else 3\n"
     "P = functools.partial(g, J)", "P = functools.partial(g, J if V == 2 else another(J))", ("P()",), RECAPTURES),
    ("identity in a closure", CELL.replace("k = 2", "k = (2, 5.5)", 1) + ANOTHER + "J = READ()",
     "WRITE(J if V == 2 else another(J))", ("(2 if READ() is J else 3)",), RECAPTURES),
    ("number that an identity is asked for", "J = K = 2.5", "K = J if V == 2 else 2.5 + 0 * id(J)",
     ("(2 if id(K) == id(J) else 3)",), BREAKS),
    ("NaN in a list", ANOTHER + "K = math.nan\nL = [1, K]", "K = L[1] if V == 2 else another(K)",
     ("(2 if K in L else 3)", "L.count(K) + 2", "(2 if K in {5: 1, L[1]: 2} else 3)"), RECAPTURES),
]  # fmt: skip

KINDS = [*NAMES, *CONTAINERS, *ARRAYS, *IDENTITIES]
