"""The annotation page and its desk: where people compare outputs."""
