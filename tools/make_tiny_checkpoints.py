"""Make random checkpoints in the file layouts of the published ones, for tests and benchmarks without a download.

    python tools/make_tiny_checkpoints.py chexbert --out /tmp/chexbert
    python tools/make_tiny_checkpoints.py radgraph-xl --out /tmp/radgraph-xl --size base --texts reports.txt

The weights are random, so the annotations are meaningless. But they differ between texts, every class occurs, and the
files have the names, keys and shapes of the real checkpoints.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import math
import re
import tarfile
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import (
    ByteLevelBPETokenizer,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
)
from torch import Tensor, nn
from transformers import (
    BertConfig,
    BertModel,
    DebertaV2Config,
    DebertaV2ForTokenClassification,
    MPNetConfig,
    MPNetModel,
    PreTrainedModel,
    RobertaConfig,
    RobertaForSequenceClassification,
)

EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "pairs.jsonl"
#: the encoder in the config.json of both published RadGraph archives
PUBMEDBERT = "microsoft/BiomedNLP-PubMedBERT-base-uncased-abstract-fulltext"
#: classes of CheXbert's fourteen heads; the last is No Finding
CHEXBERT_HEADS = (*(4 for _ in range(13)), 2)
RADGRAPH_ENTITIES = {
    "radgraph": ("OBS-DP", "ANAT-DP", "OBS-DA", "OBS-U"),
    "radgraph-xl": (
        "Observation::definitely present",
        "Anatomy::definitely present",
        "Observation::definitely absent",
        "Observation::uncertain",
        "Anatomy::measurement::definitely present",
        "Observation::measurement::definitely present",
        "Anatomy::uncertain",
    ),
}
RADGRAPH_RELATIONS = ("modify", "located_at", "suggestive_of")
RATE_TYPES = ("ABNORMALITY", "NON-ABNORMALITY", "DISEASE", "NON-DISEASE", "ANATOMY")
RATE_LABELS = (*(f"{tag}-{kind}" for kind in RATE_TYPES for tag in "BI"), "O")
#: shares as in real reports: spans that are entities, pairs that are related, tokens in entities
ENTITY_SHARE, RELATION_SHARE, TOKEN_SHARE = 0.05, 0.04, 0.35
BERT_SPECIALS = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
MPNET_SPECIALS = {"bos": "<s>", "cls": "<s>", "pad": "<pad>", "eos": "</s>", "sep": "</s>", "unk": "[UNK]"}
MPNET_SPECIALS["mask"] = "<mask>"
ROBERTA_SPECIALS = MPNET_SPECIALS | {"unk": "<unk>"}
#: the labels of RadBERT-CT, in the published order
CTRATE_LABELS = (
    "Medical material", "Arterial wall calcification", "Cardiomegaly", "Pericardial effusion",
    "Coronary artery wall calcification", "Hiatal hernia", "Lymphadenopathy", "Emphysema", "Atelectasis", "Lung nodule",
    "Lung opacity", "Pulmonary fibrotic sequela", "Pleural effusion", "Mosaic attenuation pattern",
    "Peribronchial thickening", "Consolidation", "Bronchiectasis", "Interlobular septal thickening",
)  # fmt: skip


@dataclass(frozen=True)
class Size:
    """The size of the encoders.

    Attributes:
        hidden: width.
        layers: number of layers.
        heads: attention heads per layer.
        pieces: maximum number of pieces that the vocabulary takes from the texts.
        rows: embedding rows of BERT, MPNet and DeBERTa, filled up with unused tokens; None for no filling.
        net: width of RadGraph's hidden layers.
        entity_positions: positions of RaTEScore's entity encoder.
        buckets: position buckets of DeBERTa.
        gain: spread of the weights; with a higher value, the outputs of a shallow model differ more.
    """

    hidden: int
    layers: int
    heads: int
    pieces: int
    rows: tuple[int, int, int] | None
    net: int
    entity_positions: int
    buckets: int
    gain: float


SIZES = {
    "tiny": Size(16, 2, 2, 320, None, 16, 66, 32, 1.2),
    "base": Size(768, 12, 12, 30000, (30522, 30527, 128100), 150, 514, 256, 1.0),
}


def make_chexbert(folder: Path, texts: Iterable[str], size: str = "tiny", seed: int = 0) -> Path:
    """Write `chexbert.pth` with its fourteen heads, and the files of its encoder.

    Args:
        folder: output folder; created if missing.
        texts: reports for the vocabulary and for balancing the heads.
        size: `tiny`, or `base` for the published sizes.
        seed: seed of the random weights.
    """
    shape, texts = SIZES[size], list(texts)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        tokenizer = bert_tokenizer(texts, shape)
        bert = BertModel(bert_config(shape, tokenizer))
        scatter(bert, shape.gain)
        cls = torch.stack([states[0] for states in hidden_states(bert, tokenizer, texts[:100])])
        heads = nn.ModuleList(nn.Linear(shape.hidden, classes) for classes in CHEXBERT_HEADS)
        for head in heads:
            balance(head, cls)
    state = {f"module.bert.{k}": v for k, v in bert.state_dict().items()}
    state |= {f"module.linear_heads.{k}": v for k, v in heads.state_dict().items()}
    for place in (folder, folder / "bert-base-uncased"):
        place.mkdir(parents=True, exist_ok=True)
        write_json(place / "config.json", bert.config.to_diff_dict() | {"architectures": ["BertModel"]})
        write_vocabulary(place, tokenizer)
    write_tokenizer_config(folder / "bert-base-uncased", "BertTokenizer", BERT_SPECIALS)
    torch.save({"epoch": 1, "model_state_dict": state}, folder / "chexbert.pth")
    return folder


def make_radgraph(folder: Path, texts: Iterable[str], size: str = "tiny", seed: int = 0) -> Path:
    """Write `radgraph.tar.gz` and, under `hub/`, the encoder from its config. Arguments as in `make_chexbert`."""
    return _make_radgraph("radgraph", folder, list(texts), SIZES[size], seed)


def make_radgraph_xl(folder: Path, texts: Iterable[str], size: str = "tiny", seed: int = 0) -> Path:
    """Write `radgraph-xl.tar.gz` and, under `hub/`, the encoder from its config. Arguments as in `make_chexbert`."""
    return _make_radgraph("radgraph-xl", folder, list(texts), SIZES[size], seed)


def make_ratescore(folder: Path, texts: Iterable[str], size: str = "tiny", seed: int = 0) -> Path:
    """Write `ner/`, a DeBERTa-v3 tagger, and `encoder/`, an MPNet. Arguments as in `make_chexbert`."""
    shape, texts = SIZES[size], list(texts)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        tagger_tokenizer = unigram_tokenizer(texts, shape)
        tagger = DebertaV2ForTokenClassification(deberta_config(shape, tagger_tokenizer))
        scatter(tagger, shape.gain / 2)  # less context, so that a word usually has one type, as in real reports
        sentences = [s for text in texts for s in re.split(r"(?<=\.)\s+", text) if s]
        states = torch.cat(hidden_states(tagger.deberta, tagger_tokenizer, sentences[:200]))
        balance(tagger.classifier, states, share=TOKEN_SHARE, null=RATE_LABELS.index("O"))
        tokenizer = mpnet_tokenizer(texts, shape)
        encoder = MPNetModel(mpnet_config(shape, tokenizer))
        scatter(encoder, shape.gain)
    ner, entities = folder / "ner", folder / "encoder"
    tagger.save_pretrained(ner)
    tagger_tokenizer.save(str(ner / "tokenizer.json"), pretty=False)
    specials = {**BERT_SPECIALS, "bos": "[CLS]", "eos": "[SEP]"}
    write_tokenizer_config(ner, "DebertaV2Tokenizer", specials, do_lower_case=False, split_by_punct=False)
    write_json(ner / "added_tokens.json", {"[MASK]": tagger_tokenizer.token_to_id("[MASK]")})
    encoder.save_pretrained(entities)
    tokenizer.save(str(entities / "tokenizer.json"), pretty=False)
    write_vocabulary(entities, tokenizer)
    specials = {
        "bos": "<s>",
        "cls": "<s>",
        "pad": "<pad>",
        "eos": "</s>",
        "sep": "</s>",
        "unk": "[UNK]",
        "mask": "<mask>",
    }
    write_tokenizer_config(entities, "MPNetTokenizer", specials, limit=shape.entity_positions - 2)
    return folder


def make_radbert_ct(folder: Path, texts: Iterable[str], size: str = "tiny", seed: int = 0) -> Path:
    """Write a RoBERTa classifier with 18 outputs, as transformers does. Arguments as in `make_chexbert`."""
    model, tokenizer = _radbert(list(texts), SIZES[size], seed)
    folder.mkdir(parents=True, exist_ok=True)
    named = {
        "id2label": dict(enumerate(CTRATE_LABELS)),
        "label2id": {label: i for i, label in enumerate(CTRATE_LABELS)},
    }
    facts = {"architectures": ["RobertaForSequenceClassification"], "problem_type": "multi_label_classification"}
    write_json(folder / "config.json", model.config.to_diff_dict() | named | facts)
    save_file(model.state_dict(), folder / "model.safetensors", {"format": "pt"})
    _write_bpe(folder, tokenizer)
    return folder


def make_ctclip(folder: Path, texts: Iterable[str], size: str = "tiny", seed: int = 0) -> Path:
    """Write CT-CLIP's `RadBertClassifier.pth` with RadBERT's files beside it. Arguments as in `make_chexbert`."""
    model, tokenizer = _radbert(list(texts), SIZES[size], seed)
    encoder = folder / "RadBERT-RoBERTa-4m"
    encoder.mkdir(parents=True, exist_ok=True)
    config = {key: value for key, value in model.config.to_diff_dict().items() if key not in ("id2label", "label2id")}
    write_json(encoder / "config.json", config | {"architectures": ["RobertaForMaskedLM"]})
    _write_bpe(encoder, tokenizer)
    names = (
        ("classifier.dense.", "model.pooler.dense."),
        ("classifier.out_proj.", "classifier."),
        ("roberta.", "model."),
    )
    state = {
        next(new + key.removeprefix(old) for old, new in names if key.startswith(old)): tensor
        for key, tensor in model.state_dict().items()
    }
    torch.save(state, folder / "RadBertClassifier.pth")
    return folder


MAKERS: dict[str, Callable[[Path, Iterable[str], str, int], Path]] = {
    "chexbert": make_chexbert,
    "radgraph": make_radgraph,
    "radgraph-xl": make_radgraph_xl,
    "ratescore": make_ratescore,
    "radbert-ct": make_radbert_ct,
    "ctclip": make_ctclip,
}


# ---- RadBERT-CT -----------------------------------------------------------------------------------------------------


def _radbert(
    texts: list[str], shape: Size, seed: int
) -> tuple[RobertaForSequenceClassification, ByteLevelBPETokenizer]:
    """Return a random classifier whose outputs are about as often positive as negative, and its tokenizer."""
    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(
        texts, vocab_size=256 + shape.pieces, special_tokens=["<s>", "<pad>", "</s>", "<unk>"], show_progress=False
    )
    tokenizer.add_special_tokens(["<mask>"])
    config = RobertaConfig(
        vocab_size=tokenizer.get_vocab_size(),
        max_position_embeddings=514,
        type_vocab_size=1,
        layer_norm_eps=1e-5,
        num_labels=len(CTRATE_LABELS),
        **_common(shape),
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = RobertaForSequenceClassification(config).eval()
        with torch.no_grad():
            scatter(model, shape.gain)
            rows = [[0, *tokenizer.encode(text).ids[:510], 2] for text in texts[:100]]
            first = torch.stack([model.roberta(torch.tensor([row])).last_hidden_state[0, 0] for row in rows])
            balance(model.classifier.out_proj, torch.tanh(model.classifier.dense(first)))
    return model, tokenizer


def _write_bpe(folder: Path, tokenizer: ByteLevelBPETokenizer) -> None:
    """Write `vocab.json` and `merges.txt` with the settings of a RoBERTa tokenizer."""
    tokenizer.save_model(str(folder))
    words = tokenizer.get_vocab(with_added_tokens=True)
    write_json(folder / "vocab.json", words)
    write_tokenizer_config(folder, "RobertaTokenizer", ROBERTA_SPECIALS)


# ---- RadGraph -------------------------------------------------------------------------------------------------------


def _make_radgraph(kind: str, folder: Path, texts: list[str], shape: Size, seed: int) -> Path:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        tokenizer = bert_tokenizer(texts, shape)
        bert = BertModel(bert_config(shape, tokenizer))
        scatter(bert, shape.gain)
        heads = radgraph_heads(kind, shape, hidden_states(bert, tokenizer, texts[:100]))
    state = {"_endpoint_span_extractor._span_width_embedding.weight": heads.pop("widths")}
    prefix = "_embedder.token_embedder_bert._matched_embedder.transformer_model."
    state |= {f"{prefix}{k}": v for k, v in bert.state_dict().items()} | heads
    weights = io.BytesIO()
    torch.save({k: v.bfloat16().float() for k, v in state.items()}, weights)  # half the bits are zero: compresses well
    folder.mkdir(parents=True, exist_ok=True)
    members = {
        "config.json": json.dumps(radgraph_config(shape), indent=2).encode(),
        "vocabulary/non_padded_namespaces.txt": b"*labels\n*tags\n",
        # the empty first line of the entity labels means "no entity"; relation labels have no such line
        f"vocabulary/{kind}__ner_labels.txt": "\n".join(["", *RADGRAPH_ENTITIES[kind], ""]).encode(),
        f"vocabulary/{kind}__relation_labels.txt": "\n".join([*RADGRAPH_RELATIONS, ""]).encode(),
        "weights.th": weights.getvalue(),
    }
    write_archive(folder / f"{kind}.tar.gz", members)
    hub = folder / "hub" / PUBMEDBERT
    hub.mkdir(parents=True, exist_ok=True)
    write_json(hub / "config.json", bert.config.to_diff_dict())
    write_vocabulary(hub, tokenizer)
    tokenizer.save(str(hub / "tokenizer.json"), pretty=False)
    write_tokenizer_config(hub, "BertTokenizer", BERT_SPECIALS)
    return folder


def radgraph_config(shape: Size) -> dict:
    """Return the archive's config.json, with the settings of the DyGIE++ template that RadGraph was trained with."""
    encoder = {"type": "pretrained_transformer_mismatched", "model_name": PUBMEDBERT, "max_length": 512}
    return {
        "dataset_reader": {"type": "dygie", "token_indexers": {"bert": encoder}, "max_span_width": 8},
        "model": {
            "type": "dygie",
            "embedder": {"token_embedders": {"bert": encoder}},
            "initializer": {"regexes": [["_span_width_embedding.weight", {"type": "xavier_normal"}]]},
            "module_initializer": {
                "regexes": [[pattern, {"type": "xavier_normal"}] for pattern in (".*weight", ".*weight_matrix")]
            },
            "loss_weights": {"ner": 0.2, "relation": 1.0, "coref": 0.0, "events": 0.0},
            "feature_size": 20,
            "max_span_width": 8,
            "target_task": "relation",
            "feedforward_params": {"num_layers": 2, "hidden_dims": shape.net, "dropout": 0.4},
            "modules": {
                "coref": {"spans_per_word": 0.3, "max_antecedents": 100, "coref_prop": 0},
                "ner": {},
                "relation": {"spans_per_word": 0.5},
                "events": {
                    "trigger_spans_per_word": 0.3,
                    "argument_spans_per_word": 0.8,
                    "loss_weights": {"trigger": 0.2, "arguments": 1.0},
                },
            },
        },
    }


def radgraph_heads(kind: str, shape: Size, texts: Sequence[Tensor]) -> dict[str, Tensor]:
    """Return the span widths as `widths`, and the heads by their published names, balanced on vectors of texts."""
    feature, width = 20, 8
    span = 2 * shape.hidden + feature
    widths = torch.randn(width, feature)
    state: dict[str, Tensor] = {"widths": widths}

    def net(inputs: int, name: str, layers: int = 2, out: int = shape.net) -> nn.Sequential:
        """Make hidden layers with ReLU and store them under `name`."""
        linear = [nn.Linear(inputs if i == 0 else out, out) for i in range(layers)]
        for i, layer in enumerate(linear):
            scatter(layer, 1.5)
            state.update({f"{name}._linear_layers.{i}.{k}": v for k, v in layer.state_dict().items()})
        return nn.Sequential(*(part for layer in linear for part in (layer, nn.ReLU())))

    def head(outputs: int, name: str) -> nn.Linear:
        """Make a last layer and store it under `name`."""
        layer = nn.Linear(shape.net, outputs)
        scatter(layer, 1.0)
        state.update({f"{name}.{k}": v for k, v in layer.state_dict().items()})
        return layer

    with torch.no_grad():
        spans = torch.cat([sample_spans(states, widths) for states in texts if len(states)])
        name = f"_ner._ner_scorers.{kind}__ner_labels"
        ner = net(span, f"{name}.0._module")
        labels = head(len(RADGRAPH_ENTITIES[kind]), f"{name}.1._module")
        balance(labels, ner(spans), share=ENTITY_SHARE)

        name = "_coref"  # in the published files, but unused by RadGraph
        state[f"{name}._distance_embedding.weight"] = torch.randn(10, feature)
        net(3 * span + feature, f"{name}._antecedent_feedforward._module")
        net(span, f"{name}._mention_pruner._scorer.0._module")
        head(1, f"{name}._mention_pruner._scorer.1._module")
        head(1, f"{name}._antecedent_scorer._module")
        net(2 * span, f"{name}._f_network", layers=1, out=span)

        name = f"_relation._mention_pruners.{kind}__relation_labels._scorer"
        pruning = net(span, f"{name}.0._module")
        pruning.load_state_dict(ner.state_dict())  # as in a trained model, it keeps spans that look like entities
        pruner = head(1, f"{name}.1._module")
        pruner.weight.copy_(labels.weight.sum(0, keepdim=True))
        balance(pruner, pruning(spans))
        pruner.weight.mul_(0.3)  # it is added to every relation score, so keep it small
        pruner.bias.mul_(0.3)
        mentions = pruner(pruning(spans))[:, 0]
        kept = mentions.topk(len(spans) // 16).indices  # one span per two words, as in the model
        left, right = (kept[torch.randint(len(kept), (4000,))] for _ in range(2))
        pairs = torch.cat([spans[left], spans[right], spans[left] * spans[right]], dim=1)
        hidden = net(3 * span, f"_relation._relation_feedforwards.{kind}__relation_labels")(pairs)
        scorer = head(len(RADGRAPH_RELATIONS), f"_relation._relation_scorers.{kind}__relation_labels")
        balance(scorer, hidden, share=RELATION_SHARE, plus=(mentions[left] + mentions[right])[:, None])
        state["_events._distance_embedding.weight"] = torch.randn(10, feature)
    return state


def sample_spans(states: Tensor, widths: Tensor, most: int = 300) -> Tensor:
    """Return the vectors of some spans of a text: first piece, last piece, width."""
    first = torch.randint(len(states), (most,))
    extra = torch.minimum(torch.randint(len(widths), (most,)), len(states) - 1 - first)
    return torch.cat([states[first], states[first + extra], widths[extra]], dim=1)


# ---- weights --------------------------------------------------------------------------------------------------------


@torch.no_grad()
def scatter(module: nn.Module, gain: float) -> None:
    """Set random weights, biases and layer norms, with enough spread that no part of the model is the identity."""
    for parameter in module.parameters():
        if parameter.dim() > 1:
            parameter.normal_(std=gain / math.sqrt(parameter.shape[-1]))
    for name, parameter in module.named_parameters():
        if parameter.dim() == 1:
            parameter.normal_(mean=1.0 if name.endswith("LayerNorm.weight") else 0.0, std=0.2)
    for part in module.modules():
        if isinstance(part, nn.Embedding) and part.padding_idx is not None:
            part.weight[part.padding_idx] = 0.0


@torch.no_grad()
def balance(
    head: nn.Linear, inputs: Tensor, share: float | None = None, null: int | None = None, plus: Tensor | float = 0.0
) -> None:
    """Shift and scale a head so that its classes are about equally likely on these inputs.

    Args:
        head: the head, changed in place.
        inputs: one row per item.
        share: share of the items with a class other than "nothing"; None if there is no such class.
        null: index of the class "nothing"; None if it is an implicit score of zero.
        plus: added to the scores of an item before they are compared.
    """
    scores = head(inputs)
    spread = scores.std(0).clamp_min(1e-6)
    head.weight.div_(spread[:, None])
    head.bias.sub_(scores.mean(0)).div_(spread)
    if share is None:
        return
    scores = head(inputs) + plus
    something = [i for i in range(scores.shape[1]) if i != null]
    ahead = scores[:, something].amax(1) - (0.0 if null is None else scores[:, null])
    head.bias[something] -= ahead.quantile(1 - share)


@torch.inference_mode()
def hidden_states(model: PreTrainedModel, tokenizer: Tokenizer, texts: Sequence[str]) -> list[Tensor]:
    """Return the last-layer vectors of each text's pieces, including special tokens."""
    model.eval()
    rows = [encoding.ids[:512] for encoding in tokenizer.encode_batch(list(texts))]
    return [model(input_ids=torch.tensor([row])).last_hidden_state[0] for row in rows]


# ---- configs and tokenizers -----------------------------------------------------------------------------------------


def bert_config(shape: Size, tokenizer: Tokenizer) -> BertConfig:
    """Return a config like that of bert-base-uncased and PubMedBERT."""
    return BertConfig(vocab_size=tokenizer.get_vocab_size(), max_position_embeddings=512, **_common(shape))


def mpnet_config(shape: Size, tokenizer: Tokenizer) -> MPNetConfig:
    """Return a config like that of the MPNet behind BioLORD-2023-C; its first two positions are for padding."""
    return MPNetConfig(
        vocab_size=tokenizer.get_vocab_size(),
        max_position_embeddings=shape.entity_positions,
        layer_norm_eps=1e-5,
        pad_token_id=1,
        **_common(shape),
    )


def deberta_config(shape: Size, tokenizer: Tokenizer) -> DebertaV2Config:
    """Return a config like DeBERTa-v3: relative positions in buckets, shared projections, no absolute positions."""
    return DebertaV2Config(
        vocab_size=shape.rows[2] if shape.rows else tokenizer.get_vocab_size(),
        max_position_embeddings=512,
        relative_attention=True,
        position_buckets=shape.buckets,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        pos_att_type=["p2c", "c2p"],
        position_biased_input=False,
        max_relative_positions=-1,
        type_vocab_size=0,
        pooler_hidden_size=shape.hidden,
        id2label=dict(enumerate(RATE_LABELS)),
        label2id={label: i for i, label in enumerate(RATE_LABELS)},
        **_common(shape),
    )


def _common(shape: Size) -> dict[str, int]:
    inner = 2 * shape.hidden if shape.hidden < 100 else 4 * shape.hidden
    return {
        "hidden_size": shape.hidden,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "intermediate_size": inner,
    }


def bert_tokenizer(texts: Sequence[str], shape: Size) -> Tokenizer:
    """Return an uncased WordPiece tokenizer like that of bert-base-uncased."""
    pieces = [*BERT_SPECIALS.values(), *word_pieces(texts, shape.pieces)]
    tokenizer = wordpiece_tokenizer(fill(pieces, shape.rows and shape.rows[0]))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.add_special_tokens(list(BERT_SPECIALS.values()))
    return tokenizer


def mpnet_tokenizer(texts: Sequence[str], shape: Size) -> Tokenizer:
    """Return a tokenizer with the same pieces in MPNet's order: special tokens first, `<mask>` last."""
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "[UNK]", *word_pieces(texts, shape.pieces)]
    pieces = [*fill(pieces, shape.rows and shape.rows[1] - 1), "<mask>"]
    tokenizer = wordpiece_tokenizer(pieces)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    tokenizer.add_special_tokens(["<s>", "<pad>", "</s>", "[UNK]", "<mask>"])
    return tokenizer


def wordpiece_tokenizer(pieces: Sequence[str]) -> Tokenizer:
    """Return a lower-casing WordPiece tokenizer; the caller adds special tokens."""
    vocabulary = {piece: i for i, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(prefix="##")
    return tokenizer


def unigram_tokenizer(texts: Sequence[str], shape: Size) -> Tokenizer:
    """Return a cased unigram tokenizer like DeBERTa-v3's: NFKC, collapsed whitespace, `▁` before a word."""
    counts = piece_counts(texts, start="▁", inside="", lower=False)
    counts["▁"] = max(counts.values())
    kept = counts.most_common(shape.pieces * 3 // 2)
    total = sum(count for _, count in kept)
    scored = [(piece, math.log(count / total)) for piece, count in sorted(kept, key=lambda kv: (-kv[1], kv[0]))]
    pieces = [*((s, 0.0) for s in ("[PAD]", "[CLS]", "[SEP]", "[UNK]")), *scored]
    if shape.rows:  # as published: 128,000 pieces and [MASK]; the last 99 embedding rows are unused
        pieces += [(f"<unused{i}>", -30.0) for i in range(shape.rows[2] - 100 - len(pieces))]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=3))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Strip(), normalizers.NFKC(), normalizers.Replace(Regex(r"\s{2,}|[\n\r\t]"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.add_special_tokens(["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]"])
    return tokenizer


def word_pieces(texts: Sequence[str], most: int) -> list[str]:
    """Return every letter and digit, and the most frequent other pieces of some texts in alphabetical order."""
    symbols = [*map(chr, range(ord("a"), ord("z") + 1)), *"0123456789"]
    always = [*symbols, *(f"##{s}" for s in symbols), *".,:;-/()%'\""]
    counts = piece_counts(texts, start="", inside="##", lower=True)
    frequent = [piece for piece, _ in sorted(counts.items(), key=lambda kv: (-kv[1], kv[0])) if piece not in always]
    return always + sorted(frequent[: most - len(always)])


def piece_counts(texts: Sequence[str], start: str, inside: str, lower: bool) -> Counter[str]:
    """Count the pieces. Words that occur twice or more stay whole; others are cut after every fourth letter.

    Args:
        texts: any texts.
        start: prefix of a piece at the start of a word.
        inside: prefix of a piece inside a word.
        lower: convert the texts to lower case.
    """
    words = Counter(w for text in texts for w in re.findall(r"\w+|[^\w\s]", text.lower() if lower else text))
    counts: Counter[str] = Counter()
    for word, n in sorted(words.items()):
        step = len(word) if n > 1 else 4
        for i in range(0, len(word), step):
            counts[(inside if i else start) + word[i : i + step]] += n
        counts.update({c: n for c in word})  # single letters as a fallback
        if not word.isalnum():
            counts[word] += n  # punctuation also without a prefix, because it follows a word
    return counts


def fill(pieces: list[str], rows: int | None) -> list[str]:
    """Return the pieces, with filler tokens up to a number of rows."""
    return pieces + [f"[unused{i}]" for i in range((rows or 0) - len(pieces))]


# ---- files ----------------------------------------------------------------------------------------------------------


def write_json(path: Path, value: dict) -> None:
    """Write JSON with sorted keys, so that the same content gives the same bytes."""
    path.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n", "utf-8")


def write_vocabulary(folder: Path, tokenizer: Tokenizer) -> None:
    """Write `vocab.txt` with one piece per line, in the order of the ids."""
    vocabulary = tokenizer.get_vocab()
    (folder / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.__getitem__)) + "\n", "utf-8")


def write_tokenizer_config(folder: Path, kind: str, specials: dict[str, str], limit: int = 512, **more: bool) -> None:
    """Write `tokenizer_config.json` and `special_tokens_map.json`."""
    named = {f"{role}_token": token for role, token in specials.items()}
    write_json(folder / "special_tokens_map.json", named)
    settings = {"tokenizer_class": kind, "model_max_length": limit, "do_lower_case": True}
    write_json(folder / "tokenizer_config.json", {**settings, **named, **more})


def write_archive(path: Path, members: dict[str, bytes]) -> None:
    """Write a tar.gz whose bytes depend only on the content."""
    with (
        path.open("wb") as file,
        gzip.GzipFile("", "wb", compresslevel=1, fileobj=file, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))


def read_texts(path: Path) -> list[str]:
    """Return the reports of a file: `text`, `prediction` and `reference` of a JSONL file, else one report per line."""
    lines = [line for line in path.read_text("utf-8").splitlines() if line.strip()]
    if path.suffix != ".jsonl":
        return lines
    rows = [json.loads(line) for line in lines]
    return [row[key] for row in rows for key in ("text", "prediction", "reference") if row.get(key)]


def main() -> None:
    """Read the command line and write one checkpoint."""
    parser = argparse.ArgumentParser(
        description="Write a random checkpoint in the file layout of a published one.",
        epilog="Example: python tools/make_tiny_checkpoints.py chexbert --out /tmp/chexbert, then "
        "load('chexbert_f1', checkpoint='/tmp/chexbert'). The labels are meaningless: use it to test loading, batching "
        "and speed, never to score reports.",
    )
    parser.add_argument("kind", choices=MAKERS, help="the checkpoint whose layout to use")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="output folder; created if missing")
    parser.add_argument(
        "--size",
        choices=SIZES,
        default="tiny",
        help="tiny (default): two layers of width 16, about 100 kB, for tests; base: the published sizes, 0.4 to "
        "1.2 GB, for speed measurements",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the random weights (default: 0)")
    parser.add_argument(
        "--texts",
        type=Path,
        default=EXAMPLES,
        metavar="FILE",
        help="reports for the vocabulary: JSONL with prediction and reference or text, else one report per line "
        "(default: examples/pairs.jsonl)",
    )
    args = parser.parse_args()
    MAKERS[args.kind](args.out, read_texts(args.texts), args.size, args.seed)
    files = sorted(p for p in args.out.rglob("*") if p.is_file())
    print(f"{args.out}: {len(files)} files, {sum(p.stat().st_size for p in files) / 1000:,.0f} kB")


if __name__ == "__main__":
    main()
