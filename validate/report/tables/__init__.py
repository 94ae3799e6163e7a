"""Frames of the results as rows of text, ready for a page (and, later, for LaTeX or Markdown)."""

from validate.report.tables._table import Column, Table, number, text

__all__ = ["Column", "Table", "number", "text"]
