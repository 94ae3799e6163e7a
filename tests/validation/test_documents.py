"""The documents of a run are the same in memory and in their files, so that both draw the same page."""

import validate
from validate.results import DOCUMENTS, read, write
from validate.validation import Options


def test_documents_are_read_back_as_they_are_in_memory(make_study, tmp_path):
    items = [(f"i{k}", "", ["the cat sat"]) for k in range(3)]
    outputs = [(f"i{k}", system, f"the {system} sat {k}") for k in range(3) for system in ("cat", "dog")]
    ratings = [(item, system, "r1", "quality", float(k)) for k, (item, system, _) in enumerate(outputs)]
    study = make_study(items=items, outputs=outputs, ratings=ratings)
    results = validate.run(study, Options(resamples=20, crosscheck_rows=0))
    back = read(write(results, tmp_path / "out", ""))
    for name in DOCUMENTS:
        assert getattr(back, name) == getattr(results, name), name
