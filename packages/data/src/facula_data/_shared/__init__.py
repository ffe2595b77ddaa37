"""Containers of samples that forked workers share without copying them: Note [Copy on read]."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases have
