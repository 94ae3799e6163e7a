"""The main job: a study's metrics are scored, held against people, and summed up in tables.

>>> import validate
>>> from validate.validation import Options
>>> results = validate.run(validate.load("data/sample"), Options(resamples=200, crosscheck_rows=0))
>>> results.ranking["system"].iloc[0]
'summ-large'
"""

from validate.validation.options import Options
from validate.validation.pipeline import run
from validate.validation.stages import Progress, Silent

__all__ = ["Options", "Progress", "Silent", "run"]
