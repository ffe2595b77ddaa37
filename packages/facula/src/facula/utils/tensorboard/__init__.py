"""facula.utils.tensorboard: scalars, histograms, images and more for TensorBoard; requires the package tensorboard.

May import: siblings; tensorboard, once a writer is created.
Where next: `writer.py`; `_summaries.py` creates the records.
"""

from ..._lookup.names import publish
from . import writer
from .writer import SummaryWriter

publish(__name__)
