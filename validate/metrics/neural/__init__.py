"""Metrics that run a language model: own forward code over real checkpoints, everything behind the extra ``neural``.

Nothing of torch is imported before such a metric counts.
"""
