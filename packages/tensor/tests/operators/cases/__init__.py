"""The operators, a case each: what the tests of `test_operators.py` are made of."""

from .along import CASES as ALONG
from .arithmetic import ARITHMETIC, COMPARISONS, DIVISION
from .complex_parts import COMPLEX_PARTS
from .decompositions import ELIMINATION, FURTHER, SPECTRA
from .fourier import FOURIER
from .gathering import GATHERING
from .images import IMAGES
from .masks import MASKS
from .moving import MOVING
from .pointwise import POINTWISE, SPECIAL
from .positions import LISTED
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
assert len({case.name for case in CASES}) == len(CASES)
