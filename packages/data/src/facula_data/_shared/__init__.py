"""Containers of samples that forked workers share without copying: Note [Copy on read]."""

from facula_errors.extend import moved

moved(__name__)  # paths in pickles of earlier releases
