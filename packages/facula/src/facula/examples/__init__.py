"""facula.examples: complete programs, run as `python -m facula.examples.NAME`.

May import: facula, and the packages of the extra `examples`.
Where next: `digits/`.
"""
