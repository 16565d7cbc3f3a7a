"""Every dataset by name. A dataset's module is imported when it is first asked for."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from radeval_core.data.dataset import Dataset
from radeval_core.errors import unknown_name

#: the module below `radeval_core.data` that declares each dataset, as `DATASET` or among its `DATASETS`
_MODULES = {
    "rate_ner": "rate_ner",
    "rate_eval": "rate_eval",
    "rexval": "rexval",
    "refisco_v0": "refisco",
    "refisco_v1": "refisco",
    "green_pairs": "green_pairs",
    "openi": "openi",
    "radpref": "radpref",
    "radcheck": "radcheck.dataset",
}


def dataset_names() -> tuple[str, ...]:
    """The names of all datasets."""
    return tuple(_MODULES)


@cache
def get_dataset(name: str) -> Dataset:
    """The dataset of that name; an unknown name gets "did you mean"."""
    if name not in _MODULES:
        raise unknown_name("dataset", name, _MODULES)
    module = import_module(f"radeval_core.data.{_MODULES[name]}")
    declared: tuple[Dataset, ...] = getattr(module, "DATASETS", None) or (module.DATASET,)
    return next(dataset for dataset in declared if dataset.name == name)
