"""Make a tiny random object detector in transformers' file layout."""

import math

import torch
from safetensors.torch import load_file, save_file

from radeval_core.findings.atlas import region_names


def make_tiny_detector(folder, kind="detr", labels=None, seed=0):
    """Write config.json, model.safetensors and preprocessor_config.json, as `save_pretrained` does."""
    from transformers import DetrConfig, DetrForObjectDetection, ResNetConfig, YolosConfig, YolosForObjectDetection
    from transformers.models.detr.image_processing_pil_detr import DetrImageProcessorPil
    from transformers.models.yolos.image_processing_pil_yolos import YolosImageProcessorPil

    labels = region_names() if labels is None else labels
    torch.manual_seed(seed)
    names = {"id2label": dict(enumerate(labels)), "label2id": {label: i for i, label in enumerate(labels)}}
    if kind == "detr":
        backbone = ResNetConfig(
            embedding_size=8, hidden_sizes=[8, 8, 8, 16], depths=[1, 1, 1, 1], layer_type="basic",
            out_features=["stage4"],
        )  # fmt: skip
        config = DetrConfig(
            backbone_config=backbone, d_model=16, encoder_layers=1, decoder_layers=1, encoder_ffn_dim=16,
            decoder_ffn_dim=16, encoder_attention_heads=2, decoder_attention_heads=2, num_queries=30, **names,
        )  # fmt: skip
        model = DetrForObjectDetection(config)
        shaken = [model.model.query_position_embeddings, model.model.input_projection, model.model.decoder]
        DetrImageProcessorPil(size={"shortest_edge": 160, "longest_edge": 240}).save_pretrained(folder)
    else:
        config = YolosConfig(
            hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, image_size=[64, 64],
            num_detection_tokens=30, **names,
        )  # fmt: skip
        model = YolosForObjectDetection(config)
        shaken = [model.vit.embeddings, model.vit.encoder]
        YolosImageProcessorPil(size={"height": 64, "width": 64}).save_pretrained(folder)
    with torch.no_grad():  # a fresh model gives the same answer for every query: make the answers differ
        for part in (*shaken, model.class_labels_classifier, model.bbox_predictor):
            for weights in part.parameters():
                if weights.dim() > 1:
                    weights.normal_(std=0.5)
    model.save_pretrained(folder)
    return folder


def say_everywhere(folder, label, centre_and_size):
    """Make a tiny DETR see one region, in one box, in every query."""
    weights = load_file(folder / "model.safetensors")
    (head,) = {key.removesuffix(".weight") for key in weights if key.endswith("class_labels_classifier.weight")}
    last = f"{head.removesuffix('class_labels_classifier')}bbox_predictor.layers.2"
    weights[f"{head}.weight"].zero_()
    weights[f"{head}.bias"].zero_()[label] = 20.0
    weights[f"{last}.weight"].zero_()
    weights[f"{last}.bias"] = torch.tensor([math.log(v / (1 - v)) for v in centre_and_size])
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
