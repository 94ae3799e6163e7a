"""The report: tables turned into rows of text, figures, sentences, and the page that holds them.

This is the only room that rounds, and the only one that knows what a page looks like.
"""

from validate.report.page import render

__all__ = ["render"]
