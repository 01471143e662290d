"""The same frames, a story, a game or a role, around what a model ought to refuse and around what anybody may ask.

Most attacks of public collections stand in such a frame and most harmless texts do not, so that a guard learns the frame. Here the wish
alone tells the label.
"""

import json
import random
from pathlib import Path

from .signals.examples import Example, read_rows
from .signals.written import read_written

FRAMES = Path(__file__).parent / "seeds" / "frames.json"
# Files of plain harmful requests, and the sources of them that are requests of one sentence.
HARMFUL = {"jailbreak/advbench_plain": ("advbench_plain",), "jailbreak/plain_harmful": ("harmbench",)}
LONGEST_WISH = 200


def framed_wishes(data: Path, chance: random.Random, count: int) -> list[Example]:
    """So many texts, half of them attacks."""
    frames = json.loads(FRAMES.read_text(encoding="utf-8"))
    harmful = [row["text"] for file, sources in HARMFUL.items() for row in read_rows(data, file) if row["source"] in sources]
    harmless = [row["text"] for row in read_written("domain")]
    examples = []
    for wishes, label in ((harmful, "jailbreak"), (harmless, "benign")):
        short = sorted({wish.strip() for wish in wishes if len(wish) <= LONGEST_WISH and "\n" not in wish.strip()})
        for _ in range(count // 2):
            number = chance.randrange(len(frames))
            text = frames[number].replace("{wish}", chance.choice(short))
            examples.append(Example(text, f"framed_wishes/{number}", label))
    return examples
