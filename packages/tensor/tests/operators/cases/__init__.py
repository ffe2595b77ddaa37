"""Cases of all operators: the rows of the matrix in `test_matrix.py`."""

from .activations import ACTIVATIONS
from .along import CASES as ALONG
from .arithmetic import ARITHMETIC, COMPARISONS, DIVISION
from .complex_parts import COMPLEX_PARTS
from .copies import FURTHER_FORMS
from .decompositions import ELIMINATION, FURTHER, SPECTRA
from .fourier import FOURIER
from .gathering import GATHERING
from .images import IMAGES
from .layers import LAYERS
from .losses import LOSSES
from .masks import MASKS
from .moving import MOVING
from .pointwise import POINTWISE, SPECIAL
from .positions import LISTED
from .private import PRIVATE
from .products import PRODUCTS_OF_VECTORS
from .reductions import PRODUCTS, REDUCTIONS
from .samples import SAMPLES
from .shapes import SHAPES
from .solving import CHOLESKY, INVERSES, SOLVING
from .special import CASES as SPECIAL_FUNCTIONS

CASES = [
    *POINTWISE,
    *SPECIAL,
    *SPECIAL_FUNCTIONS,
    *ARITHMETIC,
    *DIVISION,
    *COMPARISONS,
    *REDUCTIONS,
    *PRODUCTS,
    *SHAPES,
    *ALONG,
    *MASKS,
    *GATHERING,
    *LISTED,
    *MOVING,
    *IMAGES,
    *SAMPLES,
    *COMPLEX_PARTS,
    *SOLVING,
    *CHOLESKY,
    *INVERSES,
    *SPECTRA,
    *ELIMINATION,
    *FURTHER,
    *FOURIER,
]
# Also functions that consist of several operators, which may read an operand repeatedly.
COMPOSED = [*ACTIVATIONS, *LOSSES, *PRODUCTS_OF_VECTORS, *LAYERS, *FURTHER_FORMS]
EVERY = [*CASES, *COMPOSED, *PRIVATE]
assert len({case.name for case in EVERY}) == len(EVERY)
