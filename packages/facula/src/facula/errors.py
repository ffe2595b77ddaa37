"""facula.errors: the library's exceptions, and the display of tracebacks.

Every error of the library is a `FaculaError` and also Python's builtin exception of its kind. Its traceback ends at the
program's line that called the library; `full_traceback(True)` or `FACULA_FULL_TRACEBACK=1` shows the rest.
May import: siblings. Where next: `facula_errors`, Note [Trimming] in its `_trimming.py`.
"""

from ._lookup.names import make_of_rows

make_of_rows(__name__)
