"""Learning rate schedules; the names of facula_optim.lr_scheduler."""

from .._lookup.names import make_of_rows

make_of_rows(__name__)
