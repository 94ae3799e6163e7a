"""Texts, read once: normalised, tokenised and encoded as integer arrays that every metric shares."""
