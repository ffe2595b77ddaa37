"""facula.examples: whole programs, run as `python -m facula.examples.NAME`.

May import: facula, and what the extra `examples` brings.
Where next: `digits.py`.
"""
