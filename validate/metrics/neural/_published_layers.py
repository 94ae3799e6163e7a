"""Which layer BERTScore takes by default: the one that went best with human judgments of WMT16, as bert-score publishes it for each model."""

from __future__ import annotations

# Facts of bert-score 0.3.13 (https://github.com/Tiiiger/bert_score, its table of layers), by layer.
_BY_LAYER = {
    0: "amazon/bort",
    1: "google/bert_uncased_L-2_H-128_A-2 google/bert_uncased_L-2_H-256_A-4 google/bert_uncased_L-2_H-512_A-8 google/byt5-small",
    2: "google/bert_uncased_L-2_H-768_A-12 sshleifer/tiny-mbart facebook/blenderbot-400M-distill",
    3: "google/bert_uncased_L-4_H-128_A-2 google/bert_uncased_L-4_H-256_A-4 google/bert_uncased_L-4_H-512_A-8 google/bert_uncased_L-4_H-768_A-12",
    4: "distilbert-base-uncased-distilled-squad microsoft/prophetnet-large-uncased zhiheng-huang/bert-base-uncased-embedding-relative-key dbmdz/distilbert-base-turkish-cased microsoft/deberta-v3-small",
    5: "xlnet-base-cased distilroberta-base distilbert-base-uncased distilbert-base-multilingual-cased google/bert_uncased_L-6_H-128_A-2 google/bert_uncased_L-6_H-256_A-4 google/bert_uncased_L-6_H-512_A-8 google/bert_uncased_L-6_H-768_A-12",
    6: "xlm-mlm-en-2048 google/bert_uncased_L-8_H-512_A-8 facebook/bart-base t5-small allenai/led-base-16384",
    7: "roberta-base-openai-detector xlnet-large-cased google/bert_uncased_L-8_H-128_A-2 google/bert_uncased_L-8_H-256_A-4 google/bert_uncased_L-8_H-768_A-12 facebook/blenderbot_small-90M microsoft/prophetnet-large-uncased-cnndm microsoft/xprophetnet-large-wiki100-cased allenai/longformer-base-4096 zhiheng-huang/bert-base-uncased-embedding-relative-key-query",
    8: "bert-base-chinese allenai/scibert_scivocab_uncased albert-xxlarge-v1 albert-xxlarge-v2 google/bert_uncased_L-10_H-128_A-2 google/bert_uncased_L-10_H-256_A-4 google/bert_uncased_L-10_H-768_A-12 microsoft/mpnet-base google/pegasus-large SpanBERT/spanbert-base-cased google/mt5-small google/bigbird-base-trivia-itc princeton-nlp/unsup-simcse-roberta-base",
    9: "bert-base-uncased bert-base-cased-finetuned-mrpc bert-base-multilingual-cased allenai/scibert_scivocab_cased nfliu/scibert_basevocab_uncased albert-base-v2 xlm-roberta-base google/electra-small-generator google/electra-base-discriminator google/bert_uncased_L-10_H-512_A-8 google/bert_uncased_L-12_H-768_A-12 facebook/bart-large-xsum vinai/bertweet-base microsoft/deberta-base microsoft/deberta-base-mnli YituTech/conv-bert-medium-small squeezebert/squeezebert-uncased squeezebert/squeezebert-mnli squeezebert/squeezebert-mnli-headless microsoft/deberta-v3-base",
    10: "roberta-base xlm-mlm-100-1280 albert-base-v1 google/electra-base-generator google/bert_uncased_L-12_H-128_A-2 google/bert_uncased_L-12_H-512_A-8 facebook/bart-large facebook/bart-large-cnn YituTech/conv-bert-base YituTech/conv-bert-small ProsusAI/finbert microsoft/deberta-v2-xlarge princeton-nlp/unsup-simcse-bert-base-uncased princeton-nlp/sup-simcse-bert-base-uncased princeton-nlp/sup-simcse-roberta-base dbmdz/bert-base-turkish-cased google/bigbird-roberta-base microsoft/deberta-v3-xsmall microsoft/mdeberta-v3-base",
    11: "google/electra-small-discriminator google/bert_uncased_L-12_H-256_A-4 facebook/bart-large-mnli t5-base google/pegasus-xsum ramsrigouthamg/t5_paraphraser google/mt5-base",
    12: "facebook/mbart-large-cc25 facebook/mbart-large-50 facebook/mbart-large-en-ro facebook/mbart-large-50-many-to-many-mmt facebook/mbart-large-50-one-to-many-mmt Vamsi/T5_Paraphrase_Paws microsoft/deberta-v3-large",
    13: "albert-xlarge-v2 princeton-nlp/unsup-simcse-roberta-large",
    14: "albert-large-v2 google/electra-large-discriminator allenai/longformer-large-4096 allenai/longformer-large-4096-finetuned-triviaqa google/bigbird-roberta-large",
    15: "roberta-large-openai-detector tuner007/pegasus_paraphrase",
    16: "albert-xlarge-v1 microsoft/deberta-large princeton-nlp/sup-simcse-roberta-large",
    17: "roberta-large albert-large-v1 xlm-roberta-large SpanBERT/spanbert-large-cased google/byt5-base microsoft/deberta-v2-xlarge-mnli",
    18: "bert-large-uncased google/electra-large-generator microsoft/deberta-large-mnli microsoft/deberta-xlarge princeton-nlp/unsup-simcse-bert-large-uncased princeton-nlp/sup-simcse-bert-large-uncased khalidalt/DeBERTa-v3-large-mnli",
    19: "roberta-large-mnli zhiheng-huang/bert-large-uncased-whole-word-masking-embedding-relative-key-query google/mt5-large",
    21: "microsoft/deberta-v2-xxlarge",
    22: "microsoft/deberta-v2-xxlarge-mnli",
    23: "t5-large",
    24: "google/mt5-xl",
    30: "google/byt5-large",
    40: "microsoft/deberta-xlarge-mnli",
}  # fmt: skip
PUBLISHED = {name: layer for layer, names in _BY_LAYER.items() for name in names.split()}
# Not in that table: one below the top, as for most encoders of six layers there.
OWN = {"all-MiniLM-L6-v2": 5, "sentence-transformers/all-MiniLM-L6-v2": 5}

# Where the hub keeps models today that had no owner in their names when the table was made.
_OWNERS = {"FacebookAI", "google-bert", "google-t5", "distilbert", "albert", "xlnet", "facebook"}


def default_layer(model: str) -> int | None:
    """The layer for a model's name, by its old or present owner; None where nobody has said one.

    >>> default_layer("roberta-large"), default_layer("FacebookAI/roberta-large"), default_layer("no/such")
    (17, 17, None)
    """
    owner, _, name = model.rpartition("/")
    found = PUBLISHED.get(model, OWN.get(model))
    return PUBLISHED.get(name) if found is None and owner in _OWNERS else found
