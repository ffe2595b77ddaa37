"""The backward pass: `backward` and `grad`, the loop over nodes, passes to selected inputs, anomaly detection.

`backward.py` starts a pass and uses all others; `engine.py` is the loop.
"""

from facula_errors.extend import moved

moved(__name__)  # names that pickles of earlier releases contain
