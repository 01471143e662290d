"""Bare forwards in one process: no server, no tokenizing, no pooling inside the clock.

Reads one JSON command a line from standard input and answers each with one line:
  {"embed": [text, ...]}                              the sentence vectors
  {"calls": [[text, ...], ...], "plan": PLAN, "seconds": S}
      runs the calls over and over and answers the latencies in milliseconds. PLAN is how the texts of one call
      become forwards: "padded" (one batch) or "sorted" (groups by length that waste at most a tenth on padding).
"""

import json
import sys
import time

from model import embed, encode, forward

WASTE = 0.1
MAX_GROUP_TOKENS = 2048


def batches(texts, plan):
    """The forwards of one call."""
    if plan == "padded":
        return [encode(texts)]
    lengths = {text: encode([text])[0].shape[1] for text in texts}
    groups = []
    for text in sorted(texts, key=lengths.get, reverse=True):
        if groups and fits([*groups[-1], text], lengths):
            groups[-1].append(text)
        else:
            groups.append([text])
    return [encode(group) for group in groups]


def fits(group, lengths):
    slots = len(group) * max(lengths[text] for text in group)
    return slots <= MAX_GROUP_TOKENS and sum(lengths[text] for text in group) >= (1 - WASTE) * slots


def run(calls, plan, seconds):
    """Latencies of whole calls, in milliseconds."""
    prepared = [batches(texts, plan) for texts in calls]
    latencies = []
    until = time.perf_counter() + seconds
    while True:
        for call in prepared:
            start = time.perf_counter()
            for ids, mask in call:
                forward(ids, mask)
            end = time.perf_counter()
            latencies.append((end - start) * 1000)
            if end >= until:
                return latencies


def answer(command):
    if "embed" in command:
        return embed(command["embed"]).tolist()
    return run(command["calls"], command["plan"], command["seconds"])


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
