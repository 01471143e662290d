"""Where figures go: one small JSON file per step, and progress on standard error."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
SECONDS_BETWEEN_REPORTS = 5


def write_result(step: str, figures: dict) -> None:
    """Writes `results/<step>.json` and prints it."""
    RESULTS.mkdir(exist_ok=True)
    text = json.dumps(figures, indent=2, ensure_ascii=False) + "\n"
    (RESULTS / f"{step}.json").write_text(text, encoding="utf-8")
    print(f"{step}: {text}", end="", flush=True)


def report_progress(label: str, total: int) -> Callable[[int], None]:
    """A function that takes the count of finished items and prints it every few seconds."""
    started = last = time.monotonic()

    def report(done: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= SECONDS_BETWEEN_REPORTS or done == total:
            last = now
            print(f"{label}: {done} of {total} in {now - started:.0f} s", file=sys.stderr, flush=True)

    return report
