"""facula.examples: complete programs, run as `python -m facula.examples.NAME`; `python -m facula.examples` lists them.

May import: facula, and the packages of the extra `examples`.
Where next: `digits/`.
"""
