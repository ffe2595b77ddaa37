"""`SummaryWriter`, which writes event files for TensorBoard."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError
from facula_errors.extend import boundary

from ..._lookup.names import publish
from . import _embedding, _summaries
from ._charts import ChartWriter
from ._media import MediaWriter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorboard.compat.proto.graph_pb2 import GraphDef

__all__ = ["SummaryWriter"]


@boundary
class SummaryWriter(MediaWriter, ChartWriter):
    """Writer of event files under `log_dir`, which `tensorboard --logdir` shows; also a context manager.

    Arguments:
        log_dir: a folder; None is runs/DATE_HOST, followed by `comment`.
        comment: a suffix of that folder's name.
        purge_step: the step at which an interrupted run resumes; events from it on are hidden.
        max_queue: the number of events that may wait to be written.
        flush_secs: the seconds after which waiting events are written.
        filename_suffix: the suffix of the file's name.

    Tags with slashes are shown in groups. Values are tensors, NumPy arrays or numbers. `global_step` is their step, and
    `walltime` their time in seconds since 1970, now if omitted.

    Raises:
        ImportError: the package tensorboard is missing.
    """

    def add_scalar(
        self,
        tag: str,
        scalar_value: object,
        global_step: int | None = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """Write one number.

        Arguments:
            tag: the name.
            scalar_value: the number.
            global_step: the step of the value.
            walltime: the time in seconds since 1970; now if None.
            new_style, double_precision: ignored.

        Raises:
            ValueError: the value has more than one element.
        """
        self._add(_summaries.scalar(tag, _summaries.number("add_scalar", scalar_value)), global_step, walltime)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: Mapping[str, object],
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Write numbers for a common chart, each in a separate folder LOG_DIR/MAIN_TAG_NAME.

        Arguments:
            main_tag: the name of the diagram.
            tag_scalar_dict: the numbers by name.
            global_step: the step of the values.
            walltime: the time in seconds since 1970; now if None.
        """
        for name, value in tag_scalar_dict.items():
            folder = os.path.join(self.log_dir, f"{main_tag.replace('/', '_')}_{name}")
            self._add(
                _summaries.scalar(main_tag, _summaries.number("add_scalars", value)), global_step, walltime, folder
            )

    def add_tensor(
        self, tag: str, tensor: object, global_step: int | None = None, walltime: float | None = None
    ) -> None:
        """Write the elements of a tensor.

        Arguments:
            tag: the name.
            tensor: the tensor.
            global_step: the step of the tensor.
            walltime: the time in seconds since 1970; now if None.
        """
        self._add(_summaries.tensor({tag: _summaries.array("add_tensor", tensor)}), global_step, walltime)

    def add_text(
        self, tag: str, text_string: str, global_step: int | None = None, walltime: float | None = None
    ) -> None:
        """Write text, which is shown as Markdown.

        Arguments:
            tag: the name.
            text_string: the text.
            global_step: the step of the text.
            walltime: the time in seconds since 1970; now if None.
        """
        from tensorboard.plugins.text.summary_v2 import text_pb

        if not isinstance(text_string, str):
            raise InvalidTypeError(f"add_text: expected text; got {type(text_string).__name__}")
        self._add(text_pb(f"{tag}/text_summary", text_string), global_step, walltime)

    def add_hparams(
        self,
        hparam_dict: Mapping[str, bool | float | str],
        metric_dict: Mapping[str, float],
        hparam_domain_discrete: Mapping[str, list[object]] | None = None,
        run_name: str | None = None,
        global_step: int | None = None,
    ) -> None:
        """Write a run's settings and resulting numbers, in a separate folder under `log_dir`.

        Arguments:
            hparam_dict: the settings by name.
            metric_dict: the resulting numbers, by name.
            hparam_domain_discrete: the possible values of a setting, by its name.
            run_name: the name of the folder; the time if None.
            global_step: the step of the run.

        Raises:
            TypeError: a setting is not a number, bool or text.
        """
        folder = os.path.join(self.log_dir, run_name or str(time.time()))
        for summary in _summaries.hparams(hparam_dict, metric_dict, hparam_domain_discrete):
            self._add(summary, global_step, None, folder)
        for name, value in metric_dict.items():
            self._add(_summaries.scalar(name, _summaries.number("add_hparams", value)), global_step, None, folder)

    def add_embedding(
        self,
        mat: object,
        metadata: Sequence[object] | None = None,
        label_img: object = None,
        global_step: int | None = None,
        tag: str = "default",
        metadata_header: Sequence[str] | None = None,
    ) -> None:
        """Write points for the projector.

        Arguments:
            mat: the points (n, dimensions).
            metadata: n labels, or with `metadata_header` n rows of labels.
            label_img: n pictures (n, channels, h, w).
            global_step: the step of the points.
            tag: the name.
            metadata_header: the names of the columns of `metadata`.

        Raises:
            ValueError: the number of labels or pictures differs from that of points.
        """
        points = _summaries.array("add_embedding", mat)
        pictures = None if label_img is None else _summaries.array("add_embedding", label_img)
        step = 0 if global_step is None else int(global_step)
        _embedding.write(self.log_dir, points, metadata, pictures, step, tag, metadata_header)

    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """Write the operators of one call, grouped by module.

        The call runs in evaluation mode and without gradients. Of Python decisions based on elements, the graph shows
        the branches that this call takes; a warning names them.

        Arguments:
            model: a module, or a function of tensors.
            input_to_model: its argument, or a tuple of arguments.
            verbose: print the operators.
            use_strict_trace: ignored.

        Raises:
            CaptureError: the call cannot be traced: see `facula.jit.trace`.
        """
        from ._graph import graph_def, graph_of

        graph = graph_of(model, input_to_model)
        if verbose:
            print(graph)
        self._add_graph(graph_def(graph))

    def add_onnx_graph(self, prototxt: str | os.PathLike[str]) -> None:
        """Write the operators of an ONNX file.

        Arguments:
            prototxt: the path of the file; files of its weights are not read.

        Raises:
            ImportError: the package onnx is missing.
            OSError: the file cannot be read.
            ValueError: the file is not an ONNX file.
        """
        from ._graph import onnx_graph_def

        self._add_graph(onnx_graph_def("add_onnx_graph", os.fspath(prototxt)))

    def _add_graph(self, graph: GraphDef) -> None:
        from tensorboard.compat.proto.event_pb2 import Event

        event = Event(wall_time=time.time(), graph_def=graph.SerializeToString())
        self._writer(self.log_dir).add_event(event)


publish(__name__)
