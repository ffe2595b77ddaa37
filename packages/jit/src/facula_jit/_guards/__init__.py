"""What a captured function reads beside its arguments: found from the instructions that it runs, kept as guards."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases have
