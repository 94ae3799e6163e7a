"""What a column of somebody else's table may mean, by its name."""

from __future__ import annotations

import re
from collections.abc import Iterable

ROLES: dict[str, tuple[str, ...]] = {
    "item_id": (
        *("item_id", "id", "item", "doc_id", "docid", "document_id", "segment_id", "seg_id", "sample_id", "example_id"),
        *("segment", "seg", "sentence_id", "sent_id", "instance_id", "passage_id", "row_id", "item_no", "item_number"),
        *("question_id", "prompt_id", "query_id", "qid", "index", "idx", "uid", "key"),
    ),
    "source": (
        *("source", "src", "input", "prompt", "document", "article", "question", "query", "instruction", "context"),
        *("source_text", "source_document", "input_text", "sources"),
    ),
    "references": (
        *("references", "reference", "ref", "refs", "target", "targets", "gold", "gold_standard", "ground_truth"),
        *(
            "expected",
            "expected_output",
            "reference_text",
            "reference_summary",
            "reference_translation",
            "reference_answer",
        ),
        *("gold_reference", "human_reference", "gold_answer", "gold_summary"),
    ),
    "system": (
        "system",
        "model",
        "system_id",
        "model_id",
        "system_name",
        "model_name",
        "systems",
        "engine",
        "generator",
    ),
    "output": (
        *(
            "output",
            "outputs",
            "hypothesis",
            "hyp",
            "prediction",
            "pred",
            "candidate",
            "cand",
            "summary",
            "translation",
        ),
        *("response", "completion", "generation", "generated", "generated_text", "model_output", "system_output"),
        *("model_response", "mt", "decoded"),
    ),
    "annotator": (
        *("annotator", "rater", "worker", "judge", "evaluator", "assessor", "coder", "reviewer", "participant", "user"),
        *(
            "annotator_id",
            "rater_id",
            "worker_id",
            "judge_id",
            "evaluator_id",
            "reviewer_id",
            "participant_id",
            "user_id",
        ),
        *("annotators", "annotator_name", "rater_name", "user_name", "username", "coder_id", "assessor_id"),
        *("labeler", "labeller", "labeler_id", "labeller_id", "marker", "scorer", "expert", "expert_id", "respondent"),
        *("crowdworker", "crowd_worker", "turker", "workerid", "subject", "subject_id", "annotated_by", "rated_by"),
        *("judged_by", "scored_by"),
    ),
    "criterion": ("criterion", "criteria", "aspect", "dimension"),
    "score": ("score", "rating", "grade", "scores", "ratings", "human_score", "judgment", "judgement"),
    "metric": ("metric", "metric_name"),
    "winner": ("winner", "preference", "preferred", "choice", "verdict", "vote"),
    "system_a": ("system_a", "model_a", "system_1", "model_1", "system1", "model1", "left_system", "left_model"),
    "system_b": ("system_b", "model_b", "system_2", "model_2", "system2", "model2", "right_system", "right_model"),
    "output_a": ("output_a", "response_a", "answer_a", "summary_a", "translation_a", "completion_a", "left_output"),
    "output_b": ("output_b", "response_b", "answer_b", "summary_b", "translation_b", "completion_b", "right_output"),
}

CRITERIA = frozenset(
    (
        *("fluency", "adequacy", "coherence", "consistency", "relevance", "informativeness", "correctness", "accuracy"),
        *(
            "faithfulness",
            "factuality",
            "grammar",
            "grammaticality",
            "readability",
            "naturalness",
            "clarity",
            "quality",
        ),
        *("overall", "overall_quality", "usefulness", "helpfulness", "harmlessness", "simplicity", "conciseness"),
        *("engagingness", "coverage", "completeness", "meaning_preservation", "style", "truthfulness", "selection"),
    )
)

METADATA = frozenset(
    (
        *("meta", "metadata", "category", "domain", "topic", "genre", "language", "lang", "split", "subset", "dataset"),
        *("url", "link", "title", "author", "date", "time", "timestamp", "created_at", "note", "notes", "comment"),
        *("comments", "tag", "tags", "type", "difficulty", "license", "origin", "doc", "label", "labels", "version"),
        *("source_lang", "target_lang", "src_lang", "tgt_lang", "lp", "email", "name", "rationale", "explanation"),
    )
)

_ROLE_OF = {name: role for role, names in ROLES.items() for name in names}
_NUMBERED = re.compile(r"^(reference|ref|target|gold)s?_?(text_?)?\d+$")
_OUTPUT_OF = re.compile(rf"^(?:{'|'.join(ROLES['output'])}|system|model)_(.+)$|^(.+)_(?:{'|'.join(ROLES['output'])})$")


def normal(name: str) -> str:
    """A column's name in the form in which names are compared.

    >>> normal(" Item ID"), normal("itemId"), normal("Model-Output")
    ('item_id', 'item_id', 'model_output')
    """
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name.strip())
    return re.sub(r"[\W_]+", "_", snake).strip("_").lower()


def role_of(name: str) -> str | None:
    """The role that a name says, or None.

    >>> role_of("Hypothesis"), role_of("ref_2"), role_of("gpt-4")
    ('output', 'references', None)
    """
    plain = normal(name)
    return "references" if _NUMBERED.match(plain) else _ROLE_OF.get(plain)


def names_an_output(name: str) -> bool:
    """Whether a column's name says that it holds the outputs of one system: ``output_gpt4``, ``bart_summary``."""
    return role_of(name) is None and _OUTPUT_OF.match(normal(name)) is not None


def with_role(role: str, names: Iterable[str]) -> list[str]:
    """Those of the names that say this role."""
    return [name for name in names if role_of(name) == role]
