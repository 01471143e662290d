"""Sentences that tell a model how to do its work, many in a text: the router reads those of a long text once more without the rest.

A guard has to find one attack among them, and to let the orders of users and programs pass (see `addressed-sentences.ts` of the router).
"""

import random
import re
from dataclasses import replace

from .documents import PLANTED, TELLS
from .signals.examples import Example, TaskData

# Much like `command` and `work` of the router's `addressed-sentences.ts`; agents count here as well.
COMMAND = re.compile(
    r"\b(ignor(e|ing)|disregard|forget|pretend|reveal|print|repeat|show|output|override|bypass|obey|stop|send|forward|call|answers?|reply|respond|speak|translate|quote|act|stay|follow|refuse|tell"
    r"|write|say|drop|void|must|do not|don['’]t|never|you are|now on)\b",
    re.IGNORECASE,
)
WORK = re.compile(
    r"\b(instructions?|prompts?|rules?|guidelines?|polic(y|ies)|restrictions?|filters?|ai|assistants?|agents?|language models?|chatbots?|system|roles?|characters?|conversation|orders|told"
    r"|developers?|secrets?|hidden|confidential|persona|limits)\b",
    re.IGNORECASE,
)
SENTENCE = range(30, 600)
BETWEEN = re.compile(r"(?<=[.?!\n])\s+")
HARMLESS, ATTACKED = 4000, 4000
# Characters of a text: from one sentence to about a window of 256 tokens.
LENGTHS = range(60, 1100)


def with_addressed(task: TaskData, seed: int) -> TaskData:
    """The task of attacks with such texts among what trains, harmless ones and as many with one attack."""
    chance = random.Random(f"{seed}/addressed")
    sentences = sorted({sentence for row in task.train if row.label == "benign" for sentence in addressed(row.text)})
    attacks = [row.text for row in task.train if row.label == "jailbreak" and len(row.text) in PLANTED]
    rows = [Example("\n".join(several(sentences, chance)), "addressed/harmless", "benign") for _ in range(HARMLESS)]
    for _ in range(ATTACKED):
        lines = several(sentences, chance)
        lines.insert(chance.randint(0, len(lines)), " ".join(chance.choice(attacks).split()))
        rows.append(Example("\n".join(lines), "addressed/attacked", "jailbreak"))
    return replace(task, train=task.train + rows)


def addressed(text: str) -> list[str]:
    """The sentences of a text that order and name what a model works by. What quotes attacks is left out."""
    found = (sentence.strip() for sentence in BETWEEN.split(text))
    return [each for each in found if len(each) in SENTENCE and COMMAND.search(each) and WORK.search(each) and not TELLS.search(each)]


def several(sentences: list[str], chance: random.Random) -> list[str]:
    size, lines = chance.choice(LENGTHS), [chance.choice(sentences)]
    while sum(map(len, lines)) < size:
        lines.append(chance.choice(sentences))
    return lines
