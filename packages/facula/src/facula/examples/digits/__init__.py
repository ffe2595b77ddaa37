"""Train a small convolutional network on handwritten digits, save it, and read a digit with it.

    python -m facula.examples.digits              trains; leaves digits.safetensors and digits.png
    python -m facula.examples.digits --read 18    reads a digit of the data set, or of an image file

May import: facula, NumPy, and the packages of the extra `examples` (scikit-learn, tqdm, matplotlib).
Where next: `network.py`, `training.py`; then `data.py`, `reading.py`, `plotting.py` and `__main__.py`.
"""
