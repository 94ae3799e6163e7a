"""A study folder becomes a `Study`, or every reason why it cannot.

settings (study.toml) · folder (which files) · columns and cells (typing) · checks (every rule) · facts (what is no error);
intake and reshape make a study out of somebody else's table, which is then checked by the same rules.
"""

from __future__ import annotations

from validate.loading.studies import Examination, examine, load

__all__ = ["Examination", "examine", "load"]
