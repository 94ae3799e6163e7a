"""Which metric to use, and how sure one can be."""

from validate.choose.recommend import Choice, primary, recommend

__all__ = ["Choice", "primary", "recommend"]
