"""What the package answers: its heads, their labels and what each of them reads."""

from dataclasses import dataclass
from typing import Literal

PII_KINDS = (
    "PERSON", "LOCATION", "STREET_ADDRESS", "ORG", "EMAIL", "PHONE", "US_SSN", "CREDIT_CARD", "IP", "IBAN", "ID",
    "DATE_TIME", "AGE", "TITLE", "NRP", "ZIP", "URL", "DRIVER_LICENSE", "PASSWORD", "USERNAME",
)  # fmt: skip


@dataclass(frozen=True)
class Head:
    """`sequence` heads read the mean of the tokens' vectors, `token` heads those of every token.

    Of a long text the window counts that is least of the `background`.
    """

    name: str
    kind: Literal["sequence", "token"]
    labels: tuple[str, ...]
    max_tokens: int
    background: str | None = None


HEADS = (
    Head("domain", "sequence", (
        "biology", "business", "chemistry", "computer science", "economics", "engineering", "health",
        "history", "law", "math", "other", "philosophy", "physics", "psychology",
    ), 128),
    Head("jailbreak", "sequence", ("benign", "jailbreak"), 256, "benign"),
    Head("fact_check", "sequence", ("no_fact_check", "fact_check"), 128),
    Head("feedback", "sequence", ("NONE", "SAT", "NEED_CLARIFICATION", "WRONG_ANSWER", "WANT_DIFFERENT"), 128),
    Head("modality", "sequence", ("AR", "DIFFUSION", "BOTH"), 128),
    # Without a label for beginnings: neighbouring words of a kind are one span, and none is torn by an unsure beginning.
    Head("pii", "token", ("O", *PII_KINDS), 256),
    Head("hallucination", "token", ("SUPPORTED", "UNSUPPORTED"), 256, "SUPPORTED"),
)  # fmt: skip
HEAD_BY_NAME = {head.name: head for head in HEADS}
