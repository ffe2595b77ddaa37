"""Images, figures, videos, sounds and meshes for TensorBoard."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

from facula_errors import InvalidValueError
from facula_errors.extend import boundary

from . import _summaries
from ._events import EventWriter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@boundary
class MediaWriter(EventWriter):
    """The methods of `SummaryWriter` for media."""

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

    def add_image_with_boxes(
        self,
        tag: str,
        img_tensor: object,
        box_tensor: object,
        global_step: int | None = None,
        walltime: float | None = None,
        rescale: float = 1,
        dataformats: str = "CHW",
        labels: Sequence[str] | None = None,
    ) -> None:
        """Write an image with rectangles.

        Arguments:
            tag: the name.
            img_tensor: the image, as for `add_image`.
            box_tensor: left, top, right and bottom of each rectangle, in pixels (n, 4).
            global_step: the step of the image.
            walltime: the time in seconds since 1970; now if None.
            rescale: the factor by which image and rectangles are enlarged.
            dataformats: the names of the dimensions: "CHW", "HW", "HWC".
            labels: a text for each rectangle.

        Raises:
            ValueError: the shape of `box_tensor` or the number of `labels` does not match.
        """
        pixels = _summaries.image("add_image_with_boxes", img_tensor, dataformats)
        boxes = _summaries.array("add_image_with_boxes", box_tensor)
        if boxes.ndim != 2 or boxes.shape[1] != 4 or (labels is not None and len(labels) != len(boxes)):
            raise InvalidValueError(
                f"add_image_with_boxes: expected box_tensor (n, 4) and n labels; got {boxes.shape} and "
                f"{None if labels is None else len(labels)} labels"
            )
        self._add(
            _summaries.image_summary(tag, _summaries.boxed(pixels, boxes, rescale, labels)), global_step, walltime
        )

    def add_video(
        self,
        tag: str,
        vid_tensor: object,
        global_step: int | None = None,
        fps: float = 4,
        walltime: float | None = None,
    ) -> None:
        """Write videos as one animated GIF: a grid of them.

        Arguments:
            tag: the name.
            vid_tensor: the videos (n, frames, channels, height, width), floats from 0 to 1, or bytes.
            global_step: the step of the video.
            fps: frames per second.
            walltime: the time in seconds since 1970; now if None.

        Raises:
            ValueError: the videos do not have five dimensions, or have no frames.
        """
        videos = _summaries.array("add_video", vid_tensor)
        if videos.ndim != 5 or not videos.shape[1]:
            raise InvalidValueError(
                f"add_video: expected (n, frames, channels, height, width), one frame at least; got {videos.shape}"
            )
        frames = [_summaries.image("add_video", frame, "NCHW") for frame in videos.swapaxes(0, 1)]
        self._add(_summaries.image_summary(tag, frames[0], _summaries.gif(frames, fps)), global_step, walltime)

    def add_mesh(
        self,
        tag: str,
        vertices: object,
        colors: object = None,
        faces: object = None,
        config_dict: Mapping[str, Any] | None = None,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Write meshes or point clouds in three dimensions.

        Arguments:
            tag: the name.
            vertices: the points (n, points, 3).
            colors: bytes of red, green and blue for each point (n, points, 3).
            faces: the indices of the points of each triangle (n, triangles, 3).
            config_dict: options of three.js for the scene.
            global_step: the step of the meshes.
            walltime: the time in seconds since 1970; now if None.

        Raises:
            ValueError: a shape does not match.
        """
        parts = {"VERTEX": vertices, "FACE": faces, "COLOR": colors}
        arrays = {name: _summaries.array("add_mesh", part) for name, part in parts.items() if part is not None}
        for name, found in arrays.items():
            if found.ndim != 3 or found.shape[2] != 3 or len(found) != len(arrays["VERTEX"]):
                raise InvalidValueError(
                    f"add_mesh: expected vertices, colors and faces (n, ..., 3); got {found.shape} for {name.lower()}"
                )
        kinds = {"VERTEX": np.float32, "FACE": np.int32, "COLOR": np.uint8}
        arrays = {name: found.astype(kinds[name]) for name, found in arrays.items()}
        self._add(_summaries.mesh(tag, arrays, json.dumps(config_dict or {}, sort_keys=True)), global_step, walltime)
