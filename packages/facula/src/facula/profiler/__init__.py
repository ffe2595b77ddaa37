"""facula.profiler: profiles of programs; the names of facula_profiler."""

from .._lookup.names import make_of_rows

make_of_rows(__name__)
