"""Histograms, precision-recall curves and layouts of charts for TensorBoard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from facula_errors import InvalidValueError
from facula_errors.extend import boundary

from . import _summaries
from ._events import EventWriter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@boundary
class ChartWriter(EventWriter):
    """The methods of `SummaryWriter` for charts."""

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

    def add_histogram_raw(
        self,
        tag: str,
        min: object,
        max: object,
        num: object,
        sum: object,
        sum_squares: object,
        bucket_limits: object,
        bucket_counts: object,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Write a histogram whose bins are already counted.

        Arguments:
            tag: the name.
            min, max, num, sum, sum_squares: figures of all values.
            bucket_limits: the upper bound of each bin.
            bucket_counts: the number of values in each bin.
            global_step: the step of the values.
            walltime: the time in seconds since 1970; now if None.

        Raises:
            ValueError: the numbers of bounds and counts differ.
        """
        figures = {"min": min, "max": max, "num": num, "sum": sum, "sum_squares": sum_squares}
        numbers = {name: _summaries.number("add_histogram_raw", value) for name, value in figures.items()}
        limits, counts = (_summaries.array("add_histogram_raw", part) for part in (bucket_limits, bucket_counts))
        if limits.shape != counts.shape or limits.ndim != 1:
            raise InvalidValueError(
                f"add_histogram_raw: expected a count for each upper bound; got {limits.shape} bounds and "
                f"{counts.shape} counts"
            )
        self._add(_summaries.counted(tag, numbers, limits, counts), global_step, walltime)

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

    def add_pr_curve_raw(
        self,
        tag: str,
        true_positive_counts: object,
        false_positive_counts: object,
        true_negative_counts: object,
        false_negative_counts: object,
        precision: object,
        recall: object,
        global_step: int | None = None,
        num_thresholds: int = 127,
        weights: object = None,
        walltime: float | None = None,
    ) -> None:
        """Write precision and recall whose counts are known, by increasing threshold.

        Arguments:
            tag: the name.
            true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts: the counts.
            precision, recall: the curve.
            global_step: the step of the curve.
            num_thresholds: ignored; the length of the arrays decides.
            weights: ignored.
            walltime: the time in seconds since 1970; now if None.

        Raises:
            ValueError: the arrays are not of one length.
        """
        given = (
            true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts, precision, recall,
        )  # fmt: skip
        arrays = [_summaries.array("add_pr_curve_raw", part) for part in given]
        if arrays[0].ndim != 1 or {found.shape for found in arrays} != {arrays[0].shape}:
            raise InvalidValueError(
                f"add_pr_curve_raw: expected six arrays of one length; got {[found.shape for found in arrays]}"
            )
        self._add(_summaries.pr_table(tag, np.stack(arrays)), global_step, walltime)

    def add_custom_scalars(self, layout: Mapping[str, Mapping[str, Sequence[object]]]) -> None:
        """Write a layout of charts, which replaces the previous one.

        Arguments:
            layout: by the names of groups, the charts by name: ["Multiline", tags], or ["Margin", [value, lower,
                upper]], with tags of `add_scalar`.

        Raises:
            ValueError: a chart has another form.
        """
        self._add(_summaries.layout(layout), None, None)

    def add_custom_scalars_multilinechart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Write a layout of one chart of several scalars.

        Arguments:
            tags: the tags of the scalars.
            category: the group of the chart.
            title: the name of the chart.
        """
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Write a layout of one chart of a scalar between two bounds.

        Arguments:
            tags: the tags of the scalar, of its lower and of its upper bound.
            category: the group of the chart.
            title: the name of the chart.

        Raises:
            ValueError: there are not three tags.
        """
        self.add_custom_scalars({category: {title: ["Margin", tags]}})
