"""One module a head: which texts teach it, which tune it, and which only measure."""

from collections.abc import Callable
from pathlib import Path

from ..examples import TaskData
from . import domain, fact_check, feedback, hallucination, jailbreak, modality, pii

READERS: dict[str, Callable[[Path, int], TaskData]] = {
    "domain": domain.read,
    "jailbreak": jailbreak.read,
    "fact_check": fact_check.read,
    "feedback": feedback.read,
    "modality": modality.read,
    "pii": pii.read,
    "hallucination": hallucination.read,
}
