"""What sibling packages use beyond the public names: to be part of the library, and to trim where they are left.

`register` makes a package the library's; `boundary` and `trim_traceback` are how errors leave it (Note [Trimming]);
`warn` warns at the program's line; `in_library` tells a frame of the library's from a program's, `is_library_module`
a module by its name, and `known_modules` what was said of each name;
`guarded` makes context managers that end however their `with` statement does, also by a Ctrl-C where `__exit__` begins;
`Exit`, `owner_of` and `pass_on` are what classes of context managers need for that; `exhaust` does many things as one,
in a `finally`; `enters_at_once` tells what acts when it is made that a `with` statement enters it;
`published` belongs to each public module; `publish`, `publish_methods` and `settle` are its parts (Note [Public
places]); `moved` leads from where names were to where they are (Note [Moved paths]);
`kind_of` gives the class of an error that is to be said in better words.
"""

from ._classes import kind_of
from ._exits import Exit, enters_at_once, exhaust, guarded, owner_of, pass_on
from ._frames import in_library, is_library_module, library, register, warn
from ._frames import known as known_modules
from ._moved import moved
from ._other_names import renamed
from ._public import publish, publish_methods, published, settle
from ._trimming import boundary, is_boundary, trim_traceback

__all__ = [
    "Exit",
    "boundary",
    "enters_at_once",
    "exhaust",
    "guarded",
    "in_library",
    "is_boundary",
    "is_library_module",
    "kind_of",
    "known_modules",
    "library",
    "moved",
    "owner_of",
    "pass_on",
    "publish",
    "publish_methods",
    "published",
    "register",
    "renamed",
    "settle",
    "trim_traceback",
    "warn",
]
