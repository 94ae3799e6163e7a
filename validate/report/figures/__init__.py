"""Figures: Vega-Lite specs without data, the data once, and a sentence that says what to see."""

from validate.report.figures._figure import Figure, Panel, View
from validate.report.figures.forest import forest
from validate.report.figures.ranking import ranking
from validate.report.figures.scatter import scatter

__all__ = ["Figure", "Panel", "View", "forest", "ranking", "scatter"]
