"""The public functions of operators, written by `python -m facula_tensor._forms` from their declarations.

See Note [Written functions] in `_dispatch/written.py`. The folders mirror those of the package and contain only
generated files. Do not edit them: change the declaration, or the template of the fast path in `_dispatch/fast/`, and
run the command again. The command also works if generated files are missing.
"""

import sys

if __name__ in sys.orig_argv:  # `python -m`, which imports this package before the program in it
    from ._placeholders import Placeholders

    sys.meta_path.insert(0, Placeholders())
