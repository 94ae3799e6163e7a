"""How well the annotators agree: rows for the tables of agreement, of annotators, and of the human ceiling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from validate.human import Target
from validate.schema import Estimate
from validate.stats import gwet_ac, krippendorff_alpha, noise_ceiling, percent_agreement

MEASUREMENTS = ("nominal", "ordinal", "interval", "ratio")
