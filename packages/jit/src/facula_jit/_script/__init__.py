"""Scripts and traces: `script` rewrites conditions and loops so that tensors may decide them; `trace` and `freeze`."""

from facula_errors.extend import moved

moved(__name__)  # import paths stored in pickles of earlier releases
