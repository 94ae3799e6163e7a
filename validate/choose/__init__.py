"""Which metric to use, and how sure one can be."""

from validate.choose.recommend import FEW_SYSTEMS, Choice, primary, recommend

__all__ = ["FEW_SYSTEMS", "Choice", "primary", "recommend"]
