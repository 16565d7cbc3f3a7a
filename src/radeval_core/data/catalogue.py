"""List the datasets and look one up by name. A dataset's module is imported on first use."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from radeval_core.data.dataset import Dataset
from radeval_core.errors import unknown_name

#: the module in `radeval_core.data` that declares each dataset, as `DATASET` or in `DATASETS`
_MODULES = {
    "rate_ner": "rate_ner",
    "rate_eval": "rate_eval",
    "rexval": "rexval",
    "refisco_v0": "refisco",
    "refisco_v1": "refisco",
    "green_pairs": "green_pairs",
    "openi": "openi",
    "radpref": "radpref",
    "chest_imagenome": "chest_imagenome",
    "radcheck": "radcheck.dataset",
    "reader_study": "reader_study",
}


def dataset_names() -> tuple[str, ...]:
    """Return the names of all datasets."""
    return tuple(_MODULES)


@cache
def get_dataset(name: str) -> Dataset:
    """Return a dataset by name. For an unknown name, the error suggests the closest one."""
    if name not in _MODULES:
        raise unknown_name("dataset", name, _MODULES)
    module = import_module(f"radeval_core.data.{_MODULES[name]}")
    declared: tuple[Dataset, ...] = getattr(module, "DATASETS", None) or (module.DATASET,)
    return next(dataset for dataset in declared if dataset.name == name)
