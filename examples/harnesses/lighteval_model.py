"""A model for lighteval that needs no weights: the first sentence of the findings is its impression."""

from lighteval.models.abstract_model import LightevalModel
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc, SamplingMethod
from lighteval.utils.cache_management import SampleCache, cached


class FirstSentence(LightevalModel):
    """Answers with the first sentence of the findings."""

    def __init__(self, config) -> None:
        self.config = config
        self._cache = SampleCache(config)

    @property
    def tokenizer(self):
        return None

    @property
    def add_special_tokens(self) -> bool:
        return False

    @property
    def max_length(self) -> int:
        return 2048

    @cached(SamplingMethod.GENERATIVE)
    def greedy_until(self, docs: list[Doc]) -> list[ModelResponse]:
        """Return one report per doc."""
        return [ModelResponse(text=[doc.query.split("Findings: ")[1].split(". ")[0] + "."]) for doc in docs]

    def loglikelihood(self, docs: list[Doc]) -> list[ModelResponse]:
        raise NotImplementedError("this model only generates")

    def loglikelihood_rolling(self, docs: list[Doc]) -> list[ModelResponse]:
        raise NotImplementedError("this model only generates")
