"""Kinds of process-wide state that functions read without an argument for it: contexts, filters, registries."""

from scenarios import BREAKS, RECAPTURES, Kind

TRIED = """
def tried(function, *arguments):
    try:
        return 2 if function(*arguments) is not None else 5
    except (ArithmeticError, Warning, ValueError, LookupError):
        return 3
ZERO = np.float64(0.0)
"""
WARNED = "import warnings\nKEPT = [*warnings.filters]\n" + TRIED
ABSTRACT = """
class Shape(abc.ABC): pass
class Square: pass
class Circle: pass
S = Square()
def weighed(one):
    return 3 if isinstance(one, Shape) else 2
"""

HANDLED = """
import codecs
K, NAME, B, BAD, TEXT = 2, "facula_k", Box({"errors": "facula_k"}), bytes([255]), chr(233)
HANDLERS = [lambda error: (str(K), error.end), lambda error: (str(K + 1), error.end)]
CODES = [one.__code__ for one in HANDLERS]
codecs.register_error("facula_k", HANDLERS[0])
"""

KINDS = [
    Kind("errors of NumPy", TRIED, "np.seterr(divide=('ignore', 'raise')[V - 2])",
         ("tried(np.divide, 1.0, ZERO)", "tried(np.log, ZERO)", "tried(lambda: 1 / ZERO)",
          "tried(lambda: np.ones(2) / np.zeros(2))", "tried(np.reciprocal, ZERO)"), RECAPTURES,
         undo="np.seterr(divide='warn')"),
    Kind("errors of NumPy, asked for", "", "np.seterr(divide=('ignore', 'raise')[V - 2])",
         ("(3 if np.geterr()['divide'] == 'raise' else 2)",), BREAKS, undo="np.seterr(divide='warn')"),
    Kind("handler of NumPy's errors", TRIED + "SEEN = []\nnp.seterr(divide='call')\ndef seen():\n    SEEN.clear()\n"
         "    np.log(ZERO)\n    return len(SEEN) + 2\nnp.seterrcall(lambda *_: None)",
         "np.seterrcall((lambda *_: None, lambda *_: SEEN.append(1))[V - 2])", ("seen()",), BREAKS,
         undo="np.seterr(divide='warn')\nnp.seterrcall(None)"),
    Kind("NumPy's options of printing", "A = np.array([1.23456])", "np.set_printoptions(precision=V)",
         ("float(str(A)[1:-1])", "float(np.array2string(A)[1:-1])", "float(repr(A)[7:-2])", "len(f'{A}')"), RECAPTURES,
         undo="np.set_printoptions(precision=8)"),
    Kind("handler of errors of an encoding", HANDLED, "codecs.register_error('facula_k', HANDLERS[V - 2])",
         ("float(BAD.decode('ascii', 'facula_k'))", "float(str(BAD, 'ascii', errors='facula_k'))",
          "float(TEXT.encode('ascii', NAME))", "float(TEXT.encode('ascii', **B.k))"), RECAPTURES),
    Kind("what a handler of errors of an encoding reads", HANDLED, "K = V",
         ("float(BAD.decode('ascii', 'facula_k'))",), RECAPTURES),
    Kind("code of a handler of errors of an encoding", HANDLED, "HANDLERS[0].__code__ = CODES[V - 2]",
         ("float(BAD.decode('ascii', 'facula_k'))",), RECAPTURES),
    Kind("decimal's context", "D = decimal.Decimal", "decimal.getcontext().prec = V",
         ("decimal.getcontext().prec", "float(D(1) / D(3)) * 3"), BREAKS, undo="decimal.getcontext().prec = 28"),
    Kind("filters of warnings", WARNED + "warnings.simplefilter('ignore')",
         "warnings.simplefilter(('ignore', 'error')[V - 2])",
         ("tried(lambda: warnings.warn('told') or 2)",), BREAKS, undo="warnings.filters[:] = KEPT"),
    Kind("filters of NumPy's warnings", WARNED + "warnings.simplefilter('ignore')",
         "warnings.simplefilter(('ignore', 'error')[V - 2])",
         ("tried(np.log, ZERO)", "tried(lambda: 1 / ZERO)", "(2 if warnings.filters[0][0] == 'ignore' else 3)"),
         RECAPTURES, undo="warnings.filters[:] = KEPT"),
    Kind("locale", "import locale\nlocale.setlocale(locale.LC_CTYPE, 'C')",
         "locale.setlocale(locale.LC_CTYPE, ('C', 'C.UTF-8')[V - 2])",
         ("len(locale.setlocale(locale.LC_CTYPE))", "len(locale.nl_langinfo(locale.CODESET))"), BREAKS,
         undo="locale.setlocale(locale.LC_CTYPE, 'C.UTF-8')"),
    Kind("numbers in the locale's form", "import locale",
         "locale._override_localeconv.update({} if V == 2 else dict(decimal_point=','))",
         ("len(locale.str(2.5).replace(',', ''))",), BREAKS, undo="locale._override_localeconv.clear()"),
    Kind("environment of bytes", "os.environb[b'FACULA_K'] = b'2'", "os.environb[b'FACULA_K'] = b'%d' % V",
         ("int(os.environb[b'FACULA_K'])", "int(os.path.expandvars('$FACULA_K'))"), RECAPTURES,
         undo="del os.environb[b'FACULA_K']"),
    Kind("home folder", "KEPT = os.environ.get('HOME', '/')\nos.environ['HOME'] = '/a'",
         "os.environ['HOME'] = '/' + 'a' * (V - 1)",
         ("len(os.path.expanduser('~'))",), RECAPTURES, undo="os.environ['HOME'] = KEPT"),
    Kind("time zone", "os.environ['TZ'] = 'UTC'\ntime.tzset()",
         "os.environ['TZ'] = ('UTC', 'EST5')[V - 2]\ntime.tzset()",
         ("time.localtime(0).tm_hour", "datetime.datetime.fromtimestamp(0).hour"), BREAKS,
         undo="del os.environ['TZ']\ntime.tzset()"),
    Kind("digits of integers", TRIED + "KEPT = sys.get_int_max_str_digits()\nN = 10**5000\n"
         "sys.set_int_max_str_digits(0)",
         "sys.set_int_max_str_digits((0, 4300)[V - 2])",
         ("tried(str, N)", "tried(int, '1' * 5000)", "tried(lambda: f'{N}')", "tried(repr, N)"), RECAPTURES,
         undo="sys.set_int_max_str_digits(KEPT)"),
    Kind("classes of an abstract one", ABSTRACT,
         "Shape.register(Square) if V == 3 else setattr(sys.modules[__name__], 'Shape', abc.ABCMeta('Shape', (), {}))",
         ("weighed(S)", "(3 if issubclass(Square, Shape) else 2)"), RECAPTURES),
    Kind("interval of switches", "KEPT = sys.getswitchinterval()", "sys.setswitchinterval(V / 100)",
         ("round(sys.getswitchinterval() * 100)",), BREAKS, undo="sys.setswitchinterval(KEPT)"),
    Kind("flags of the interpreter", "KEPT = sys.flags", "sys.flags = Box(V)", ("getattr(sys.flags, 'k', 2)",),
         RECAPTURES,
         undo="sys.flags = KEPT"),
    Kind("signal's handler", "import signal\nKEPT = signal.getsignal(signal.SIGUSR2)",
         "signal.signal(signal.SIGUSR2, (KEPT, lambda *_: None)[V - 2])",
         ("(2 if signal.getsignal(signal.SIGUSR2) is KEPT else 3)",), BREAKS,
         undo="signal.signal(signal.SIGUSR2, KEPT)"),
    Kind("timeout of sockets", "import socket", "socket.setdefaulttimeout((None, 3)[V - 2])",
         ("(socket.getdefaulttimeout() or 2)",), BREAKS, undo="socket.setdefaulttimeout(None)"),
    Kind("copies by a table", "import copyreg\nclass Part:\n    k = 2\nP = Part()",
         "copyreg.pickle(Part, (lambda one: (Part, ()), lambda one: (int, (3,)))[V - 2])",
         ("getattr(copy.copy(P), 'k', 3)", "getattr(copy.deepcopy(P), 'k', 3)"), BREAKS),
    Kind("functions by type", "@functools.singledispatch\ndef weight(one):\n    return 2",
         "weight.register(int, (lambda one: 2, lambda one: 3)[V - 2])", ("weight(5)", "weight.dispatch(int)(5)"),
         BREAKS),
    Kind("mask of new files",
         "KEPT = os.umask(2)\ndef mask():\n    now = os.umask(0)\n    os.umask(now)\n    return now",
         "os.umask(V)", ("mask()",), BREAKS, undo="os.umask(KEPT)"),
]  # fmt: skip
