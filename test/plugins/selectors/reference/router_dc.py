"""config-v03 5.5.1: s = sigmoid(cos / T); no description gives min_similarity; below it the first; confidence s, .95 above .9."""

import math

from common import first_best, maybe, vector, write_cases


def cosine(left, right):
    product = sum(a * b for a, b in zip(left, right))
    return product / math.sqrt(sum(a * a for a in left) * sum(b * b for b in right))


def make(chance):
    size = chance.randint(2, 8)
    options = {}
    if chance.random() < 0.7:
        options["temperature"] = chance.choice((0.07, 0.2, 1, 3))
    if chance.random() < 0.7:
        options["min_similarity"] = chance.choice((0, 0.3, 0.55, 0.7, 0.95, 1))
    asked = vector(chance, size)
    described = [maybe(chance, 0.8, vector(chance, size)) for _ in range(chance.randint(2, 6))]
    temperature, least = options.get("temperature", 0.07), options.get("min_similarity", 0.3)
    scores = [
        least if each is None else 1 / (1 + math.exp(-cosine(each, asked) / temperature)) for each in described
    ]
    best = first_best(scores)
    score = scores[best]
    if score < least:
        expected = {"candidate": 0, "confidence": score}
    else:
        expected = {"candidate": best, "confidence": 0.95 if score > 0.9 else score}
    return {"input": {"options": options, "asked": asked, "described": described}, "expected": expected}


write_cases(make, 13)
