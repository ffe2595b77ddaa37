"""Scripts and traces: `script`, which rewrites conditions and loops for tensors to decide, `trace` and `freeze`."""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases have
