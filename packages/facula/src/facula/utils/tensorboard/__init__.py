"""facula.utils.tensorboard: scalars, histograms, images and more for TensorBoard; needs the package tensorboard.

May import: siblings; tensorboard, once a writer is made.
Where next: `writer.py`; `_summaries.py` makes what is written.
"""

from ..._lookup.names import publish
from . import writer
from .writer import SummaryWriter

publish(__name__)
