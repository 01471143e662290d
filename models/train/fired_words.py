"""The words and pairs of words that a served guard holds to be attacks on their own: what harmless sentences have to be written
about (`seeds/written/over_defence.jsonl`, `generators/jailbreak_over_defence.py`). They change with the guard."""

import json
import re
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

from .signals.examples import SPLIT_SEED, Example
from .signals.tasks import jailbreak

# Alone, named on something, and in the middle of a harmless question: a word that fires in all of them fires anywhere.
CARRIERS = ("{}", 'The word "{}" stands on the label.', "Can you explain what {} means in this recipe for bread?")
# A phrase has to stand in texts of so many sources, so that it is not the habit of one author.
LEAST_SOURCES = {1: 4, 2: 8}
WORD = re.compile(r"[a-z][a-z'-]+")
LONGEST_TEXT = 4000
BATCH = 64

Ask = Callable[[list[str]], list[float]]


def print_fired_words(data: Path, worker: str, model: str, count: int) -> None:
    attacks = [row for row in jailbreak.read(data, SPLIT_SEED).train if row.label == "jailbreak" and row.source.startswith("jailbreak/")]
    scores = score_phrases(find_phrases(attacks), lambda texts: ask_worker(worker, model, texts))
    for words in LEAST_SOURCES:
        best = sorted((phrase for phrase in scores if len(phrase.split()) == words), key=lambda phrase: -scores[phrase])[:count]
        print("\n".join(f"{scores[phrase]:.2f} {phrase}" for phrase in best), end="\n\n")


def find_phrases(attacks: Iterable[Example]) -> list[str]:
    """Words and pairs of words of enough sources, sorted."""
    sources: dict[str, set[str]] = defaultdict(set)
    for attack in attacks:
        words = WORD.findall(attack.text.lower()[:LONGEST_TEXT])
        for phrase in {*words, *(" ".join(pair) for pair in zip(words, words[1:], strict=False))}:
            sources[phrase].add(attack.source)
    return sorted(phrase for phrase, found in sources.items() if len(found) >= LEAST_SOURCES[len(phrase.split())])


def score_phrases(phrases: list[str], ask: Ask) -> dict[str, float]:
    """The mean probability of an attack over the carriers."""
    answers = [ask([carrier.format(phrase) for phrase in phrases]) for carrier in CARRIERS]
    return {phrase: sum(found) / len(CARRIERS) for phrase, *found in zip(phrases, *answers, strict=True)}


def ask_worker(worker: str, model: str, texts: list[str]) -> list[float]:
    found: list[float] = []
    for start in range(0, len(texts), BATCH):
        body = json.dumps({"model": model, "head": "jailbreak", "input": texts[start : start + BATCH]}).encode()
        request = urllib.request.Request(f"{worker}/v1/classify", body, {"content-type": "application/json"})
        with urllib.request.urlopen(request) as response:
            answer = json.load(response)
        at = answer["labels"].index("jailbreak")
        found += [result["probabilities"][at] for result in answer["results"]]
    return found
