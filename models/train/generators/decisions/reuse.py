"""Turns rows of the other tasks into typed questions, with many wordings. The rows keep their source and so their split."""

import json
import random
from collections.abc import Callable, Collection, Mapping
from typing import Any

from ..grammar import WORDS
from ..row import Span
from .decision import Answer, Decision, Option, Type
from .marked_text import choose

Row = Mapping[str, Any]
REUSE: dict[str, dict[str, Any]] = json.loads((WORDS / "decisions_reuse.json").read_text(encoding="utf-8"))
TRUE_LABELS = (1, "1", True, "true", "jailbreak", "fact_check", "unsupported", "hallucinated")
NER_LABELS = ("PERSON", "LOCATION", "ORG")


def reuse(task: str, row: Row, chance: random.Random, known: Collection[str] = NER_LABELS) -> Decision | None:
    """A question about one row `{text, label, spans, previous, context, question, answer, source}` of a task; None where the row
    gives none. `known` are the labels of personal data that the row's source marks without a gap: only those are asked for."""
    if task == "pii":
        return ask_pii(row, chance, known)
    ask = ASK.get(task)
    if ask is None:
        raise ValueError(f"Cannot reuse rows of {task!r}: it is none of {sorted([*ASK, 'pii'])}")
    return ask(row, chance)


def ask_domain(row: Row, chance: random.Random) -> Decision:
    labels: dict[str, list[str]] = REUSE["domain"]["labels"]
    others = [label for label in labels if label not in (row["label"], "other")]
    if chance.random() < 0.3 and row["label"] != "other":
        truth = chance.random() < 0.5
        subject = row["label"] if truth else chance.choice(others)
        wording = choose(chance.choice(REUSE["domain"]["noul"]), chance).replace("SUBJECT", subject)
        return to_decision("domain", row, row["text"], ("noul", wording, no_and_yes(chance), truth))
    shown = [row["label"], *chance.sample(others, chance.randint(1, len(others)))]
    if chance.random() < 0.3 and "other" not in shown:
        shown.append("other")
    return choose_label("domain", row, row["text"], shown, chance)


def ask_label(task: str) -> Callable[[Row, random.Random], Decision | None]:
    """Choice over all or some labels of a task; the turn before stands in the state."""

    def ask(row: Row, chance: random.Random) -> Decision | None:
        labels = list(REUSE[task]["labels"])
        if row["label"] not in labels:
            return None
        others = [label for label in labels if label != row["label"]]
        kept = others if chance.random() < 0.7 else chance.sample(others, chance.randint(1, len(others)))
        previous = row.get("previous")
        state = f"Assistant: {previous}\nUser: {row['text']}" if previous else row["text"]
        return choose_label(task, row, state, [row["label"], *kept], chance)

    return ask


def ask_truth(task: str) -> Callable[[Row, random.Random], Decision]:
    """Noul, half of them asked the other way round."""

    def ask(row: Row, chance: random.Random) -> Decision:
        return ask_whether(task, row, row["text"], row["label"] in TRUE_LABELS, chance)

    return ask


def ask_supported(row: Row, chance: random.Random) -> Decision | None:
    """Whether the context backs the answer; rows without context or without a verdict give nothing."""
    answer = row.get("answer") or row.get("text")
    if not row.get("context") or not answer or (row.get("label") is None and row.get("spans") is None):
        return None
    unsupported = bool(row.get("spans")) or row.get("label") in TRUE_LABELS
    question = f"Question: {row['question']}\n" if row.get("question") else ""
    state = chance.choice(["{q}Answer: {a}\nContext: {c}", "Context: {c}\n{q}Answer: {a}"]).format(q=question, a=answer, c=row["context"])
    return ask_whether("hallucination", row, state, not unsupported, chance)


def ask_pii(row: Row, chance: random.Random, known: Collection[str]) -> Decision | None:
    """Which kinds of personal data stand in a text, or where."""
    present = {span["label"] for span in row["spans"]}
    askable = [label for label in REUSE["pii"]["labels"] if label in known]
    if len(askable) < 2:
        return None
    chosen = chance.sample(askable, chance.randint(2, min(8, len(askable))))
    wanted = sorted(present & set(askable) - set(chosen))
    if wanted and chance.random() < 0.7:
        chosen[0] = chance.choice(wanted)
    which, described = chance.randrange(2), chance.random() < 0.5
    keys = {label: label if described and which else REUSE["pii"]["labels"][label][which] for label in chosen}
    options = tuple((keys[label], REUSE["pii"]["labels"][label][1 if which else 0] if described and which else None) for label in chosen)
    if chance.random() < 0.5:
        answer: Answer = tuple(keys[label] for label in chosen if label in present)
        return to_decision("pii", row, row["text"], ("set", choose(chance.choice(REUSE["pii"]["set"]), chance), options, answer))
    spans = tuple(Span(span["start"], span["end"], keys[span["label"]]) for span in row["spans"] if span["label"] in keys)
    return to_decision("pii", row, row["text"], ("span", choose(chance.choice(REUSE["pii"]["span"]), chance), options, spans))


def choose_label(task: str, row: Row, state: str, shown: list[str], chance: random.Random) -> Decision:
    """Choice with labels as keys, their descriptions as keys, or both."""
    labels: dict[str, list[str]] = REUSE[task]["labels"]
    style = chance.choice(["label", "described", "words", "words"])
    which = chance.randrange(2)
    options = {
        label: {"label": (label, None), "described": (label, labels[label][which]), "words": (labels[label][which], None)}[style]
        for label in chance.sample(shown, len(shown))
    }
    wording = choose(chance.choice(REUSE[task]["choice"]), chance)
    return to_decision(task, row, state, ("choice", wording, tuple(options.values()), options[row["label"]][0]))


def ask_whether(task: str, row: Row, state: str, truth: bool, chance: random.Random) -> Decision:
    negated = chance.random() < 0.35
    wording = choose(chance.choice(REUSE[task]["noul_negated" if negated else "noul"]), chance)
    return to_decision(task, row, state, ("noul", wording, no_and_yes(chance), truth != negated))


def no_and_yes(chance: random.Random) -> tuple[Option, Option]:
    no, yes = chance.choice([(None, None), (None, None), ("no", "yes"), ("does not hold", "holds")])
    return (("false", no), ("true", yes))


def to_decision(task: str, row: Row, state: str, asked: tuple[Type, str, tuple[Option, ...], Answer]) -> Decision:
    kind, instructions, options, answer = asked
    return Decision(state, kind, instructions, options, answer, f"reuse.{task}/{kind}", str(row.get("source") or task), str(row.get("language") or "en"))


ASK: dict[str, Callable[[Row, random.Random], Decision | None]] = {
    "domain": ask_domain, "feedback": ask_label("feedback"), "modality": ask_label("modality"),
    "jailbreak": ask_truth("jailbreak"), "fact_check": ask_truth("fact_check"), "hallucination": ask_supported,
}
