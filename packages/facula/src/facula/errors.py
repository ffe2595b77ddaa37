"""facula.errors: what is raised on purpose, and how much of a traceback is shown.

Every error of the library is a `FaculaError`, and Python's builtin of its kind as well. Its traceback ends at the line
of the program that called the library; `full_traceback(True)` or `FACULA_FULL_TRACEBACK=1` shows the rest.
May import: siblings. Where next: `facula_errors`, Note [Trimming] in its `_trimming.py`.
"""

from ._lookup.names import make_of_rows

make_of_rows(__name__)
