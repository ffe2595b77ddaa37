"""`SummaryWriter`, which writes event files for TensorBoard."""

from __future__ import annotations

import os
import socket
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import InvalidTypeError, MissingPackageError
from facula_errors.extend import boundary

from ..._lookup.names import publish
from ..._lookup.refusals import Refusal, Refusals
from . import _embedding, _summaries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Self

    from tensorboard.compat.proto.summary_pb2 import Summary

__all__ = ["SummaryWriter"]

_missing = Refusals(
    "utils.tensorboard.SummaryWriter",
    "print(model) shows the modules; facula.jit.capture(model).graph() the operators, once it was called",
)


def _needed() -> Any:
    """Import the package tensorboard's file writer, for the first writer."""
    try:
        from tensorboard.summary.writer.event_file_writer import EventFileWriter
    except ImportError as error:
        raise MissingPackageError(
            "SummaryWriter: the package tensorboard is missing; install it, as with: pip install tensorboard"
        ) from error
    return EventFileWriter


@boundary
class SummaryWriter:
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

    log_dir: str

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
    ) -> None:
        writer = _needed()
        if log_dir is None:
            now = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self.log_dir = os.fspath(log_dir)
        self._make = lambda folder: writer(folder, max_queue, flush_secs, filename_suffix)
        self._writers: dict[str, Any] = {}
        self._writer(self.log_dir)
        if purge_step is not None:
            from tensorboard.compat.proto.event_pb2 import Event, SessionLog

            start = Event(step=purge_step, session_log=SessionLog(status=SessionLog.START))
            self._writer(self.log_dir).add_event(start)

    def _writer(self, folder: str) -> Any:
        if folder not in self._writers:
            self._writers[folder] = self._make(folder)
        return self._writers[folder]

    def _add(
        self, summary: Summary, global_step: int | None, walltime: float | None, folder: str | None = None
    ) -> None:
        from tensorboard.compat.proto.event_pb2 import Event

        event = Event(wall_time=time.time() if walltime is None else walltime, summary=summary)
        if global_step is not None:
            event.step = int(global_step)
        self._writer(self.log_dir if folder is None else folder).add_event(event)

    def get_logdir(self) -> str:
        """Return the folder of the files."""
        return self.log_dir

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

    def add_histogram(
        self,
        tag: str,
        values: object,
        global_step: int | None = None,
        bins: object = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """Write a histogram of values.

        Arguments:
            tag: the name.
            values: the values, of any shape.
            global_step: the step of the values.
            bins: "tensorflow", bounds that grow by a tenth; or an argument of `numpy.histogram`.
            walltime: the time in seconds since 1970; now if None.
            max_bins: the maximum number of bins; more are merged.

        Raises:
            ValueError: there are no values, or some are not finite.
        """
        found = _summaries.array("add_histogram", values)
        self._add(_summaries.histogram(tag, found, bins, max_bins), global_step, walltime)

    def add_image(
        self,
        tag: str,
        img_tensor: object,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """Write an image.

        Arguments:
            tag: the name.
            img_tensor: floats from 0 to 1, or bytes; of 1, 3 or 4 channels.
            global_step: the step of the image.
            walltime: the time in seconds since 1970; now if None.
            dataformats: the names of the dimensions: "CHW", "HW", "HWC".

        Raises:
            ValueError: `dataformats` does not match, or the number of channels is not supported.
        """
        pixels = _summaries.image("add_image", img_tensor, dataformats)
        self._add(_summaries.image_summary(tag, pixels), global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: object,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Write several images as a grid.

        Arguments:
            tag: the name.
            img_tensor: the images, as for `add_image`.
            global_step: the step of the images.
            walltime: the time in seconds since 1970; now if None.
            dataformats: the names of the dimensions: "NCHW", "NHWC".

        Raises:
            ValueError: as for `add_image`.
        """
        self.add_image(tag, img_tensor, global_step, walltime, dataformats)

    def add_figure(
        self, tag: str, figure: Any, global_step: int | None = None, close: bool = True, walltime: float | None = None
    ) -> None:
        """Write a figure of matplotlib, or a list of them in a grid.

        Arguments:
            tag: the name.
            figure: the figure, or the list.
            global_step: the step of the image.
            close: close the figures.
            walltime: the time in seconds since 1970; now if None.
        """
        from matplotlib import pyplot
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        figures = figure if isinstance(figure, (list, tuple)) else [figure]
        images = []
        for chart in figures:
            canvas = FigureCanvasAgg(chart)
            canvas.draw()
            images.append(np.asarray(canvas.buffer_rgba())[..., :3])
            if close:
                pyplot.close(chart)
        self.add_image(tag, np.stack(images), global_step, walltime, "NHWC")

    def add_audio(
        self,
        tag: str,
        snd_tensor: object,
        global_step: int | None = None,
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """Write a sound of one channel.

        Arguments:
            tag: the name.
            snd_tensor: numbers from -1 to 1.
            global_step: the step of the sound.
            sample_rate: the number of samples per second.
            walltime: the time in seconds since 1970; now if None.
        """
        found = _summaries.array("add_audio", snd_tensor)
        self._add(_summaries.audio(tag, found, sample_rate), global_step, walltime)

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

    def add_pr_curve(
        self,
        tag: str,
        labels: object,
        predictions: object,
        global_step: int | None = None,
        num_thresholds: int = 127,
        weights: object = None,
        walltime: float | None = None,
    ) -> None:
        """Write precision and recall by threshold.

        Arguments:
            tag: the name.
            labels: 0 and 1.
            predictions: from 0 to 1, of the same shape.
            global_step: the step of the curve.
            num_thresholds: from 2 to 127; larger values are reduced to 127.
            weights: of each label; 1 if None.
            walltime: the time in seconds since 1970; now if None.

        Raises:
            ValueError: the shapes differ, or there are fewer than 2 thresholds.
        """
        true = _summaries.array("add_pr_curve", labels).astype(bool)
        found = _summaries.array("add_pr_curve", predictions)
        given = None if weights is None else _summaries.array("add_pr_curve", weights)
        self._add(_summaries.pr_curve(tag, true, found, min(num_thresholds, 127), given), global_step, walltime)

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
        from tensorboard.plugins.hparams import summary_v2

        for name, value in hparam_dict.items():
            if not isinstance(value, (bool, int, float, str)):
                raise InvalidTypeError(
                    f"add_hparams: expected settings to be numbers, bools or text; got {name}={value!r:.60}"
                )
        domains = {name: summary_v2.Discrete(values) for name, values in (hparam_domain_discrete or {}).items()}
        settings = [summary_v2.HParam(name, domains.get(name)) for name in hparam_dict]
        metrics = [summary_v2.Metric(name) for name in metric_dict]
        folder = os.path.join(self.log_dir, run_name or str(time.time()))
        self._add(summary_v2.hparams_config_pb(settings, metrics), global_step, None, folder)
        self._add(summary_v2.hparams_pb(dict(hparam_dict)), global_step, None, folder)
        self._add(_summaries.session_end(), global_step, None, folder)
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

    add_graph: Refusal = _missing.function("add_graph")
    add_onnx_graph: Refusal = _missing.function("add_onnx_graph")

    def flush(self) -> None:
        """Write waiting events."""
        for writer in self._writers.values():
            writer.flush()

    def close(self) -> None:
        """Write waiting events, and close the files; later events go into new files."""
        for writer in self._writers.values():
            writer.close()
        self._writers.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


publish(__name__)
