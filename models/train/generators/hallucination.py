"""Answers with the unsupported parts marked, each with the context and the question it answers.

A row is (context, question, text = answer). Spans say UNSUPPORTED: from the first to the last word that the context does not bear out
(a wrong name, number, date, unit, opposite, quantifier or cause; an added clause; the whole sentence if the context tells nothing of it).
About 45 % of the rows are faithful: other words, other spellings of numbers and dates, or "the text does not say". The label of a row is
"unsupported" or "faithful". A topic (company, recipe, incident ...) stands in one split only.
"""

import random

from .deal import Split, deal
from .marked import Piece, join
from .row import Row
from .unsupported.context import tell
from .unsupported.corrupt import corrupt
from .unsupported.values import draw_value, spell
from .unsupported.world import LABEL, TOPICS, Thing, Token, filler, parse, say

__all__ = ["corrupt", "generate"]
SUMMARIES = ("Summarise the text.", "What do we know about {S}?", "Tell me about {S}.", "Give me the key points on {S}.", "Write two or three sentences about {S}.", "Summary please")
UNKNOWN = ("The text does not say.", "This is not mentioned in the passage.", "There is no information on that in the document.", "I cannot tell from the given text.", "The context says nothing about this.", "Not stated.")


def generate(split: Split, chance: random.Random, count: int) -> list[Row]:
    """Rows of the split's topics; nearly half are faithful."""
    topics = [topic for topic in TOPICS if deal("hallucination/" + topic) == split]
    rows: list[Row] = []
    seen: set[tuple[str, str]] = set()
    while len(rows) < count:
        row = compose(chance.choice(topics), split, chance)
        if (row.context, row.text) not in seen:
            seen.add((row.context, row.text))
            rows.append(row)
    return rows


def compose(topic: str, split: Split, chance: random.Random) -> Row:
    main, other = Thing(topic, split, chance), Thing(topic, split, chance)
    while other.name == main.name:
        other = Thing(topic, split, chance)
    facts = chance.sample(TOPICS[topic]["facts"], len(TOPICS[topic]["facts"]))
    told, untold = facts[: chance.randint(2, len(facts) - 1)], facts[-1]
    other_told = chance.sample(facts, chance.randint(1, 4)) if chance.random() < 0.6 else []
    remark = make_remark(main, chance) if chance.random() < 0.3 else ""
    context = tell(main, told, other if other_told else None, other_told, remark, chance)
    question, pieces = answer(main, other, told, untold, context, chance)
    if remark and chance.random() < 0.6 and pieces[0][0] not in UNKNOWN and len(pieces) > 2:
        pieces += [(" " + remark, None)]
    text, spans = join(pieces)
    if not spans and chance.random() < 0.2 and text not in UNKNOWN:
        text, spans = corrupt(context, question, text, chance, split) or (text, spans)
    return Row(text=text, label="unsupported" if spans else "faithful", spans=spans, context=context, question=question, source=f"generated/hallucination/{topic}")


def make_remark(main: Thing, chance: random.Random) -> str:
    """A sentence of the kind that false answers add, here told by the context, so that its words betray nothing."""
    clause = chance.choice(main.topic["extras"]) if chance.random() < 0.5 else filler("clauses", main.split, chance)
    return chance.choice((f"All this happened, as one reads, {clause}.", f"And, one hears, {clause}.", filler("generic", main.split, chance), filler("generic", main.split, chance)))


def answer(main: Thing, other: Thing, told: list[dict], untold: dict, context: str, chance: random.Random) -> tuple[str, list[Piece]]:
    """A question and the pieces of its answer, false ones marked."""
    false = chance.random() < 0.47
    kind = chance.random()
    if kind < 0.1:
        sentence = say(main.tokens(untold, chance.choice(untold["answer"])), main, chance.randrange(12))
        return ask(untold, main, chance), [("".join(text for text, _ in sentence), LABEL)] if false else [(chance.choice(UNKNOWN), None)]
    if kind < 0.2 and (short := [fact for fact in told if is_short(fact)]):
        return short_answer(main, other, chance.choice(short), false, chance)
    chosen = told[:1] if kind < 0.55 else told[: chance.randint(2, 4)]
    question = ask(told[0], main, chance) if kind < 0.55 else chance.choice([summary for summary in SUMMARIES if "{S}" in summary or other.name not in context]).replace("{S}", main.name)
    sentences = [main.tokens(fact, chance.choice(fact["answer"] if chance.random() < 0.8 else fact["tell"])) for fact in chance.sample(chosen, len(chosen))]
    wrong = choose_wrong(sentences, chance) if false else set()
    lead = filler("leads", main.split, chance).strip().rstrip(",") if chance.random() < 0.15 else ""
    pieces: list[Piece] = [(lead + (":" if lead[-1].isalpha() else "") + " ", None)] if lead else []
    style = chance.randrange(12)
    for number, tokens in enumerate(sentences):
        texts = {place: wrong_text(tokens[place], main, other, style, chance) for at, place in wrong if at == number}
        pieces += [(" " if number else "", None), *say(tokens, main, style, texts)]
    if false and (not wrong or chance.random() < 0.08):
        pieces += add_clause(pieces, main, context, chance)
    return question, pieces


def ask(fact: dict, main: Thing, chance: random.Random) -> str:
    """A question of the fact that names the thing."""
    question = chance.choice(fact["ask"])
    if "{S}" not in question:
        question = chance.choice(("{S}: ", "About {S}: ", "Regarding {S}, ")) + question[0].lower() + question[1:]
    return question.replace("{S}", main.name)


def is_short(fact: dict) -> bool:
    """One value is asked for, so that the value alone is an answer."""
    tokens = [parse(frame) for frame in fact["answer"]]
    return all(not token.wrong for frame in tokens for token in frame) and len({token.key for frame in tokens for token in frame if token.key not in ("", "S")}) == 1


def short_answer(main: Thing, other: Thing, fact: dict, false: bool, chance: random.Random) -> tuple[str, list[Piece]]:
    token = next(token for token in parse(fact["answer"][0]) if token.key not in ("", "S"))
    style = chance.randrange(12)
    text = wrong_text(token, main, other, style, chance) if false else spell(token.kind, main.value(token.key, token.kind), style)
    return ask(fact, main, chance), [(text, LABEL if false else None), (chance.choice(("", ".")), None)]


def choose_wrong(sentences: list[list[Token]], chance: random.Random) -> set[tuple[int, int]]:
    """Where the answer goes wrong: one place, now and then two; none when a clause is to be added instead."""
    places = [(number, place) for number, tokens in enumerate(sentences) for place, token in enumerate(tokens) if token.wrong or token.key not in ("", "S")]
    if chance.random() < 0.2 or not places:
        return set()
    first = chance.choice(places)
    apart = [place for place in places if place[0] != first[0]]
    return {first, chance.choice(apart)} if apart and chance.random() < 0.25 else {first}


def wrong_text(token: Token, main: Thing, other: Thing, style: int, chance: random.Random) -> str:
    """The false wording, or another value of the kind: the other thing's, another one of this thing, or a new one."""
    if token.wrong:
        return token.wrong
    right = spell(token.kind, main.value(token.key, token.kind), style)
    near = [raw for thing in (main, other) for kind, raw in thing.values.values() if kind == token.kind]
    while True:
        raw = chance.choice(near) if near and chance.random() < 0.5 else draw_value(token.kind, main.split, chance)
        if (text := spell(token.kind, raw, style)) != right and raw != main.name:
            return text


def add_clause(pieces: list[Piece], main: Thing, context: str, chance: random.Random) -> list[Piece]:
    """What follows the answer: an invented clause of the topic or a general one, or a sentence. Takes the last stop away."""
    last, label = pieces[-1]
    sentence, clause = filler("generic", main.split, chance, context), filler("clauses", main.split, chance, context)
    if chance.random() < 0.5:
        clause = chance.choice([extra for extra in main.topic["extras"] if extra not in context])
    if chance.random() < 0.35 or not last.endswith(".") or label:
        return [(" ", None), (sentence, LABEL)]
    pieces[-1] = (last[:-1] + (", " if chance.random() < 0.5 else " "), None)
    return [(clause, LABEL), (".", None)]
