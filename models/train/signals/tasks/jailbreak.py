"""Attempts to override or extract instructions, against all else, plain harmful requests among it."""

import hashlib
import random
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from ...framed_wishes import framed_wishes
from ...natural import read_natural
from ...ordinary import read_ordinary
from ..copies import without_copies
from ..examples import Example, TaskData, labelled, read_rows, sample, split_by_source
from ..generated import generated
from ..written import written

NAMES = {"1": "jailbreak", "0": "benign"}
# At most so many rows of one file and of one kind of it, so that none of them is the task.
TRAINED = {
    "jackhhao": (1269, 700), "templates_x_goals": (983, 983), "advbench_plain": (400, 400), "giskard": (32, 32), "agentdojo": (452, 150),
    "piarena": (600, 320), "wrapped_goals": (320, 160), "plain_harmful": (1100, 500),
}  # fmt: skip
# Of these, whole sources train and whole sources measure.
HALVED = {
    "collections": (400, 120), "hardneg_prompts": (900, 250), "hardneg_code": (400, 200), "hardneg_docs": (1000, 750), "garak": (600, 130),
    "embedded": (1000, 110), "jailbreakbench": (400, 140),
}  # fmt: skip
# At most so many rows of one source of a file with many sources.
OF_SOURCE = 100
# The clean texts of this file are one source for each form, and its attacks one for each wording; the clean ones go by text, so
# that no form is an attack whenever it trains.
BY_TEXT = "embed/clean", "embed/benign_emphatic"
# One community wrote them and the ordinary prompts that train.
ALWAYS_TRAINS = ("fuzzyai/benign_prompts",)
# Plain requests in these languages have no attacks beside them; many of them would make the language a mark of harmless texts.
OTHER_LANGUAGE, EACH_LANGUAGE = "multijail/", 25
# Documents with and without an instruction in them. About as many of both train: with one of them alone, the kind of document
# would tell the label. Some of the file's attacks are plain questions beside the task, which override nothing.
PLANTED, CLEAN = "bipia", 400
PLAIN_QUESTIONS = (
    "Content Creation", "Information Retrieval", "Language Translation", "Learning and Tutoring", "Programming Help",
    "Social Interaction",
)  # fmt: skip
# Prompts of other tasks and of ordinary traffic. Most of all harmless role plays, as many attacks are role plays too.
ORDINARY = {
    "fact_check/gpteacher_codegen": 400, "fact_check/gpteacher_roleplay": 1200, "fact_check/nq_open": 400, "modality/parti": 400,
    "ordinary/bfcl": 400, "ordinary/ifeval": 541, "ordinary/biggen": 761, "ordinary/prompts_chat": 693, "ordinary/fuzzyai_benign": 300,
    "ordinary/taskmaster": 200, "ordinary/chinese": 300,
}  # fmt: skip
# Long texts that ask for nothing: without them, length alone would look like an attack, most of which are long.
LONG = {"pii/lifebench": ("text", 600), "hallucination/halueval_general": ("answer", 400), "hallucination/begin": ("context", 300)}
LONGEST = 6000
# Harmless mails: nearly all mails of the public files have an attack in them, so that a mail alone would look like one.
MAILS, DOCUMENTS = 300, tuple(f"jailbreak/{name}/" for name in ("NVIDIA", "mozilla-ai", "openguardrails", "anthropics", "google-gemini", "whylabs"))
NAMES_OF_MAILS = ("Maria", "Tom", "Aisha", "Peter", "Yuki", "Lena", "Omar", "Grace", "Sven", "Priya")
PLACES = ("meadow", "northlane", "oldtown", "blueport", "ashfield", "riverside")
FRAMED_WISHES = 3000
# Written by others, in other styles; none of their texts trains.
UNSEEN = (
    "deepset", "piguard_valid", "notinject_one", "wildguard_benign", "injecagent", "adaptive_attacks", "korean",
)  # fmt: skip


def read(data: Path, seed: int) -> TaskData:
    chance = random.Random(seed)
    public = [row for name, (count, of_kind) in TRAINED.items() for row in capped(of_file(data, name), count, of_kind, chance)]
    unseen = {name: examples_of(of_file(data, name)) for name in UNSEEN}
    for name, (count, of_kind) in HALVED.items():
        rows = of_file(data, name)
        public += capped([row for row in rows if trains(row)], count, of_kind, chance)
        unseen[name] = examples_of(row for row in rows if not trains(row))
    train, tuning = split_by_source(examples_of(public), 0.1, chance)
    train += planted(data, chance)
    train += framed_wishes(data, random.Random(f"{seed}/wishes"), FRAMED_WISHES)
    train = without_copies(train, [example for examples in unseen.values() for example in examples])
    users, others = ([replace(row, label="benign") for row in part] for part in read_natural("fact_check"))
    unseen |= {"ordinary": read_ordinary(data, "benign"), "natural": others, "contrast": generated("jailbreak", "contrast", 600)}
    train += mails(sample([row for row in train if row.source.startswith(DOCUMENTS)], MAILS, chance), chance)
    train += generated("jailbreak", "train", 9000) + written("jailbreak") + ordinary(data, chance) + long(data, chance) + users
    return TaskData(train, tuning + generated("jailbreak", "validation", 1000), unseen)


def of_file(data: Path, name: str) -> list[dict]:
    return [row for row in read_rows(data, f"jailbreak/{name}") if row["text"].strip()]


def examples_of(rows: Iterable[dict]) -> list[Example]:
    return [Example(row["text"].strip(), f"jailbreak/{row['source']}", NAMES[str(row["label"])]) for row in rows]


def trains(row: dict) -> bool:
    """Whether a row of a halved file trains; the same for all rows of a source, and for an encoding whatever it hides."""
    source = row["source"]
    key = row["text"] if source.startswith(BY_TEXT) else source.replace("benign_", "")
    return source in ALWAYS_TRAINS or hashlib.sha256(key.encode()).digest()[0] % 2 == 1


def capped(rows: list[dict], count: int, of_kind: int, chance: random.Random) -> list[dict]:
    """At most so many rows, of one label and kind, and of one source of many."""
    kinds: dict[tuple, int] = {}
    sources: dict[str, int] = {}
    several = len({row["source"] for row in rows}) > 5
    kept = []
    for row in chance.sample(rows, len(rows)):
        kind, source = (row["label"], row["kind"]), row["source"]
        limit = EACH_LANGUAGE if source.startswith(OTHER_LANGUAGE) and not source.endswith("/en") else OF_SOURCE
        if kinds.get(kind, 0) < of_kind and (not several or sources.get(source, 0) < limit):
            kinds[kind] = kinds.get(kind, 0) + 1
            sources[source] = sources.get(source, 0) + 1
            kept.append(row)
    return kept[:count]


def planted(data: Path, chance: random.Random) -> list[Example]:
    rows = examples_of(of_file(data, PLANTED))
    attacks = [row for row in rows if row.label == "jailbreak" and row.source.split("/")[-1] not in PLAIN_QUESTIONS]
    return attacks + sample([row for row in rows if row.label == "benign"], CLEAN, chance)


def mails(examples: list[Example], chance: random.Random) -> list[Example]:
    """The same texts as somebody sends them: under headers, or with a greeting and a name alone."""
    return [replace(example, text=as_mail(example.text, chance), source="jailbreak/mails") for example in examples]


def as_mail(text: str, chance: random.Random) -> str:
    words = text.split()
    subject = " ".join(words[: chance.randint(3, 8)])
    sender, reader = chance.sample(NAMES_OF_MAILS, 2)
    headers = [f"From: {sender.lower()}@{chance.choice(PLACES)}.example", f"To: {reader.lower()}@{chance.choice(PLACES)}.example", f"Subject: {subject}"]
    head = "" if chance.random() < 0.25 else "\n".join(headers if chance.random() < 0.5 else [headers[0], headers[2]]) + "\n\n"
    greeting = chance.choice((f"Hi {reader},", "Hello,", f"Dear {reader},", "Dear all,", "Good morning,"))
    end = chance.choice(("Best regards,", "Thanks,", "Cheers,", "Kind regards,", "Best,"))
    return f"{head}{greeting}\n\n{text}\n\n{end}\n{sender}"


def ordinary(data: Path, chance: random.Random) -> list[Example]:
    """What most traffic is made of."""
    return [row for name, count in ORDINARY.items() for row in sample(labelled(read_rows(data, name), "benign"), count, chance)]


def long(data: Path, chance: random.Random) -> list[Example]:
    """Diaries, answers and articles, and several of them one behind the other."""
    texts = []
    for name, (column, count) in LONG.items():
        found = sorted({(row.get(column) or "").strip()[:LONGEST] for row in read_rows(data, name)} - {""})
        texts += chance.sample(found, min(count, len(found)))
    joined = ["\n\n".join(chance.sample(texts, chance.randint(2, 4)))[:LONGEST] for _ in range(len(texts) // 3)]
    return [Example(text, "jailbreak/long", "benign") for text in texts + joined]
