"""What a caption says, as a scene graph: objects, their attributes, and relations between two objects, each a tuple of words.

>>> parser = SceneParser()  # doctest: +SKIP
>>> parser.parse(["Two women are sitting at a white table."])[0].tuples  # doctest: +SKIP
frozenset({('woman',), ('table',), ('woman', 'two'), ('woman', 'sit'), ('table', 'white'), ('woman', 'at', 'table')})

`parser` finds and runs the dependency parser, `rules` reads tuples out of its trees, `pronouns` says whom a pronoun means,
`words` what a word is called in a tuple, and `graphs` merges graphs and matches their tuples.

References
----------
Schuster et al. (2015), Generating semantically precise scene graphs from textual descriptions for improved image retrieval,
doi:10.18653/v1/W15-2812, section 3; Anderson et al. (2016), doi:10.1007/978-3-319-46454-1_24, section 3.1. The rules are our own.
"""

from __future__ import annotations

from validate.text.scenes.graphs import Concept, Graph, Index, Keys, merged
from validate.text.scenes.parser import Scene, SceneParser

__all__ = ["Concept", "Graph", "Index", "Keys", "Scene", "SceneParser", "merged"]
