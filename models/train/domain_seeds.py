"""Chat-style training prompts for the domain head, generated from word lists and frames."""

import json
import random
import re
from pathlib import Path

WORDS = Path(__file__).parent / "seeds" / "domain_words.json"
FRAMES_PER_TOPIC = 2
PROMPTS_PER_REQUEST = 6
SLOT = re.compile(r"\{(\w+)\}")


def generate_seeds(excluded_texts: list[str], seed: int = 11) -> list[tuple[str, str]]:
    """Sorted (text, label) pairs. A topic that stands in an excluded text is left out, so that no evaluation prompt
    is met by its own words."""
    words = json.loads(WORDS.read_text(encoding="utf-8"))
    excluded = [text.lower() for text in excluded_texts]
    chance = random.Random(seed)
    pairs = set()
    for label, entry in words["labels"].items():
        topics = [topic for topic in entry["topics"] if not any(contains_topic(text, topic) for text in excluded)]
        for topic in topics:
            for frame in chance.sample(words["frames"], FRAMES_PER_TOPIC):
                pairs.add((fill(frame, {"topic": [topic]}, chance), label))
        pairs |= {(example, label) for example in entry["examples"]}
        slots = entry["slots"] | {"topic": topics}
        for request in entry["requests"]:
            for _ in range(PROMPTS_PER_REQUEST):
                pairs.add((fill(request, slots, chance), label))
    taken = {text.strip() for text in excluded}
    return sorted(pair for pair in pairs if pair[0].lower() not in taken)


def contains_topic(text: str, topic: str) -> bool:
    return re.search(rf"\b{re.escape(topic.lower().removeprefix('the '))}\b", text) is not None


def fill(frame: str, slots: dict[str, list[str]], chance: random.Random) -> str:
    """The frame with every slot filled; a slot that stands twice gets two different words."""
    left = {name: chance.sample(values, len(values)) for name, values in slots.items()}
    return SLOT.sub(lambda match: left[match[1]].pop(), frame)
