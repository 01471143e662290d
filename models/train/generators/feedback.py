"""Feedback rows: the user's turn in a chat, with the assistant's answer before it (`previous`) in about 60 % of rows.

The label is the verdict on that answer; where several stand in one turn, the first rule that applies decides:
WRONG_ANSWER if the answer is called untrue, outdated, not working, invented or beside the question, also behind thanks,
praise or sarcasm; NEED_CLARIFICATION if the user did not understand it; WANT_DIFFERENT if another form, length, style or
option is wanted; SAT if it is accepted or praised, also when a new request follows; NONE if there is no verdict, only a
request or a question about the matter. A bare "please" or "thanks" that ends a request is no verdict."""

import json
import random
from dataclasses import dataclass

from .deal import Split, dealt
from .grammar import WORDS, Frame, Grammar, draw_distinct
from .row import Row
from .texture import roughen

LABELS = {"SAT": 20, "NEED_CLARIFICATION": 20, "WRONG_ANSWER": 20, "WANT_DIFFERENT": 20, "NONE": 20}
PAIRS_SHARE = 0.5  # of the contrast split
PREVIOUS_SHARE = 0.5  # where the frame does without; together about 60 %
AROUND_SHARE = 0.2
MAX_REPEATS = 3  # of a turn such as "Perfect!", each after another answer


@dataclass(frozen=True)
class Topic:
    subject: str
    term: str
    answer: str


def generate(split: Split, chance: random.Random, count: int) -> list[Row]:
    """Rows of one split, the five labels in equal shares."""
    grammar = Grammar("feedback", split)
    topics = dealt(read_topics(), split, name=lambda topic: topic.subject)
    return draw_distinct(lambda: draw_row(grammar, topics, split, chance), count, MAX_REPEATS)


def read_topics() -> list[Topic]:
    words = json.loads((WORDS / "feedback_topics.json").read_text(encoding="utf-8"))
    return [Topic(*entry) for entry in words["topics"]]


def draw_row(grammar: Grammar, topics: list[Topic], split: Split, chance: random.Random) -> Row:
    label = chance.choices(list(LABELS), list(LABELS.values()))[0]
    pairs = split == "contrast" and chance.random() < PAIRS_SHARE
    frame = grammar.pick_frame(label, chance, "pairs") if pairs else grammar.pick_frame(label, chance, excluded=("pairs",))
    topic, other = chance.sample(topics, 2)
    text = frame.text
    if frame.language == "en" and chance.random() < AROUND_SHARE:
        around = grammar.fill(name_topics(chance.choice(grammar.lists["around"]), topic, other), chance)
        text = chance.choice([f"{around} {text}", f"{text}{'' if text[-1] in '.!?}' else '.'} {around}"])
    text = roughen(grammar.fill(name_topics(text, topic, other), chance), chance, frame.language)
    previous = None
    if needs_previous(frame, label) or chance.random() < PREVIOUS_SHARE:
        answer = grammar.lists["opening"], [topic.answer], grammar.lists["closing"]
        previous = grammar.fill("".join(chance.choice(part) for part in answer), chance)
    return Row(
        text=text, label=label, previous=previous, source=f"generated/feedback/{frame.id}", language=frame.language,
    )


def name_topics(text: str, topic: Topic, other: Topic) -> str:
    """The frame with {subject} and {term} of the answered topic and {other}, a topic not yet talked about."""
    for slot, value in (("subject", topic.subject), ("term", topic.term), ("other", other.subject)):
        text = text.replace(f"{{^{slot}}}", value[:1].upper() + value[1:]).replace(f"{{{slot}}}", value)
    return text


def needs_previous(frame: Frame, label: str) -> bool:
    """What is asked about a term, or wished to be without it, is a verdict only after an answer that used it."""
    return "{term}" in frame.text and label in ("NEED_CLARIFICATION", "WANT_DIFFERENT")
