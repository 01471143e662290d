"""Who did what to which things: several people, several things, and the question about one of them."""

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ...grammar import WORDS
from ...row import Span
from ..decision import Type
from ..share import share
from ..values import Values
from .task import Asked, Task, no_and_yes, shuffled

FILE = json.loads((WORDS / "decisions_relations.json").read_text(encoding="utf-8"))
DEEDS: dict[str, list[str]] = FILE["deeds"]


@dataclass(frozen=True)
class Scene:
    """`done` has the things of each person in the order of the text; `absent` are things that nobody touched."""

    text: str
    done: dict[str, list[Span]]
    absent: list[str]

    def things(self, person: str) -> list[str]:
        return [self.text[span.start : span.end] for span in self.done[person]]


def draw_scene(deed: str, values: Values, chance: random.Random) -> Scene:
    people = chance.sample(values.lists["first_name"], chance.randint(2, 4))
    objects = chance.sample(share(FILE["objects"], values.split), min(6, len(share(FILE["objects"], values.split))))
    done: dict[str, list[Span]] = {person: [] for person in people}
    text = ""
    for person in people:
        things = [objects.pop() for _ in range(chance.choice([0, 1, 1, 2])) if len(objects) > 2]
        text += chance.choice([" ", "\n"]) if text else ""
        if not things:
            text += chance.choice([f"{person} {deed} nothing.", f"{person} only watched.", f"{person} was not there."])
            continue
        passive = chance.random() < 0.4
        text += "" if passive else f"{person} {deed} "
        for place, thing in enumerate(things):
            text += " and " if place else ""
            shown = thing[:1].upper() + thing[1:] if passive and not place else thing
            done[person].append(Span(len(text), len(text) + len(shown), "thing"))
            text += shown
        several = len(things) > 1 or things[0].split()[0] in ("two", "three", "four") or things[0].endswith("spoons")
        text += f" {'were' if several else 'was'} {DEEDS[deed][1]} {person}." if passive else "."
    return Scene(text, done, objects)


def ask_set(deed: str, values: Values, chance: random.Random) -> Asked:
    scene = draw_scene(deed, values, chance)
    person = chance.choice(list(scene.done))
    mine = [thing[:1].lower() + thing[1:] for thing in scene.things(person)]
    every = [thing[:1].lower() + thing[1:] for name in scene.done for thing in scene.things(name)] + scene.absent
    options = shuffled([(thing, None) for thing in every], chance)
    return Asked(scene.text, options, tuple(key for key, _ in options if key in mine), person)


def ask_span(deed: str, values: Values, chance: random.Random) -> Asked:
    scene = draw_scene(deed, values, chance)
    person = chance.choice(list(scene.done))
    key, meaning = chance.choice([("thing", None), ("thing", f"what {person} {deed}"), ("object", f"things that {person} {deed}")])
    return Asked(scene.text, ((key, meaning),), tuple(Span(span.start, span.end, key) for span in scene.done[person]), person)


def ask_who(deed: str, values: Values, chance: random.Random) -> Asked:
    scene = draw_scene(deed, values, chance)
    pairs = [(person, thing) for person in scene.done for thing in scene.things(person)]
    none = chance.choice(["nobody", "none of them", "not stated"])
    if pairs and chance.random() < 0.85:
        person, thing = chance.choice(pairs)
        thing = thing[:1].lower() + thing[1:]
    else:
        person, thing = none, chance.choice(scene.absent)
    return Asked(scene.text, (*shuffled([(name, None) for name in scene.done], chance), (none, None)), person, thing)


def ask_whether(deed: str, values: Values, chance: random.Random) -> Asked:
    scene = draw_scene(deed, values, chance)
    pairs = [(person, thing[:1].lower() + thing[1:]) for person in scene.done for thing in scene.things(person)]
    person = chance.choice(list(scene.done))
    thing = chance.choice([*(thing for _, thing in pairs), *scene.absent[:1]])
    if pairs and chance.random() < 0.45:
        person, thing = chance.choice(pairs)
    return Asked(scene.text, no_and_yes(chance), (person, thing) in pairs, f"{person}|{thing}")


ASKS: dict[Type, tuple[Callable[..., Asked], tuple[str, ...]]] = {
    "set": (ask_set, ("What did SUBJECT {do}?", "Tick all that SUBJECT {did}.", "Which of these did SUBJECT {do}?", "SUBJECT {did} which things?", "Mark the things that were {by} SUBJECT.", "Everything that SUBJECT {did}")),
    "span": (ask_span, ("Find what SUBJECT {did}.", "What did SUBJECT {do}? Mark it.", "Extract the things that SUBJECT {did}.", "Where does it say what SUBJECT {did}?", "Copy what was {by} SUBJECT.", "Highlight all that SUBJECT {did}.")),
    "choice": (ask_who, ("Who {did} SUBJECT?", "Say who {did} SUBJECT.", "Which person {did} SUBJECT?", "Name the one who {did} SUBJECT.", "Pick the person that {did} SUBJECT.", "SUBJECT: who {did} it?")),
    "noul": (ask_whether, ("PERSON {did} THING.", "Did PERSON {do} THING?", "Is it right that PERSON {did} THING?", "True or false: PERSON {did} THING", "Was it PERSON who {did} THING?", "The text says that PERSON {did} THING.")),
}


def to_task(deed: str, kind: Type) -> Task:
    ask, wordings = ASKS[kind]
    do, by = DEEDS[deed]
    filled = tuple(wording.replace("{did}", deed).replace("{do}", do).replace("{by}", by) for wording in wordings)
    return Task(f"deed.{deed}", kind, filled, partial(ask, deed))


TASKS = [to_task(deed, kind) for deed in DEEDS for kind in ASKS]
