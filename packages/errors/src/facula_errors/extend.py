"""Names for sibling packages in addition to the public API: registration, and trimming at the library's boundary.

* `register` adds a package to the library. `boundary` and `trim_traceback` trim the errors that leave it (Note
  [Trimming]).
* `warn` issues a warning at the program's line.
* `in_library` classifies a frame, `is_library_module` a module name; `known_modules` caches the latter.
* `guarded` creates context managers that always exit with their `with` statement, even if Ctrl-C interrupts the start
  of `__exit__`.
* `Exit`, `owner_of` and `pass_on` are for classes of such context managers. `exhaust` makes a sequence of actions
  uninterruptible in a `finally`. `enters_at_once` tells a function with immediate effect that a `with` statement will
  enter its result.
* `published` is called by each public module; `publish`, `publish_methods` and `settle` are its parts (Note [Public
  places]).
* `imported_later` is for modules that import names on their first use.
* `moved` redirects old names of a module (Note [Moved paths]).
* `html_of` creates the HTML reprs of all packages for notebooks; `format_bytes` formats sizes for people.
* `kind_of` returns the class for an error that is re-raised with a better message.
"""

from ._classes import kind_of
from ._exits import Exit, enters_at_once, exhaust, guarded, owner_of, pass_on
from ._frames import in_library, is_library_module, library, register, warn
from ._frames import known as known_modules
from ._html import format_bytes, html_of
from ._moved import moved
from ._other_names import renamed
from ._public import imported_later, publish, publish_methods, published, settle
from ._trimming import boundary, is_boundary, trim_traceback

__all__ = [
    "Exit",
    "boundary",
    "enters_at_once",
    "exhaust",
    "format_bytes",
    "guarded",
    "html_of",
    "imported_later",
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
