"""config-v03 5.5.1, hybrid: min-max parts by weight, cost bonus, cache affinity of conversations that go on."""

import math

from common import first_best, maybe, min_max, vector, write_cases

USUAL = {"experience_weight": 0.3, "router_dc_weight": 0.3, "automix_weight": 0.2, "cost_weight": 0.2}
COST_WEIGHT = 0.5


def clamp(value):
    return max(0.0, min(1.0, value))


def cosine(left, right):
    product = sum(a * b for a, b in zip(left, right))
    return product / math.sqrt(sum(a * a for a in left) * sum(b * b for b in right))


def make(chance):
    count = chance.randint(2, 5)
    options = {key: chance.random() for key in USUAL if chance.random() < 0.5}
    shared = {key: chance.choice((0, chance.random())) for key in USUAL if chance.random() < 0.5}
    if chance.random() < 0.3:
        options["normalize_scores"] = chance.random() < 0.5
    models = [
        {
            "quality": maybe(chance, 0.8, chance.uniform(0.3, 1)),
            "price": maybe(chance, 0.8, chance.choice((0.1, 0.5, 2, 8))),
            "window": maybe(chance, 0.8, chance.choice((512, 2048, 8192))),
            "rating": maybe(chance, 0.8, chance.uniform(1300, 1700)),
            "vector": vector(chance, 4),
        }
        for _ in range(count)
    ]
    # Characters of the turns; the last one is asked now.
    users = chance.randint(1, 6)
    turns = []
    for turn in range(users):
        turns.append({"role": "user", "characters": chance.randint(4, 4000)})
        if turn < users - 1:
            turns.append({"role": "assistant", "characters": chance.randint(4, 8000)})
    previous = chance.choice((None, chance.randrange(count)))
    responded = chance.random() < 0.2
    asked = vector(chance, 4)
    expected = choose(options, shared, models, turns, previous, responded, asked)
    given = {
        "options": options,
        "shared": shared,
        "models": models,
        "turns": turns,
        "previous": previous,
        "responded": responded,
        "asked": asked,
    }
    return {"input": given, "expected": expected}


def choose(options, shared, models, turns, previous, responded, asked):
    weight = {key: options.get(key) or shared.get(key, USUAL[key]) for key in USUAL}
    parts = []
    if weight["experience_weight"] > 0:
        strengths = [10 ** ((1500 if model["rating"] is None else model["rating"]) / 400) for model in models]
        shares = [strength / sum(strengths) for strength in strengths]
        best = first_best(shares)
        parts.append((weight["experience_weight"], shares, best, shares[best]))
    if weight["router_dc_weight"] > 0:
        likeness = [1 / (1 + math.exp(-cosine(model["vector"], asked) / 0.07)) for model in models]
        powers = [math.exp(value / 0.07) for value in likeness]
        best = first_best(likeness)
        sure = 0.95 if likeness[best] > 0.9 else likeness[best]
        parts.append((weight["router_dc_weight"], [power / sum(powers) for power in powers], best, sure))
    if weight["automix_weight"] > 0:
        values, ranks = [], []
        for model in models:
            quality, price = model["quality"] or 0.8, model["price"] or 0
            values.append(quality - price / 10 * 0.3)
            ranks.append(values[-1] / (1 + price * COST_WEIGHT) * 1.1)
        parts.append((weight["automix_weight"], values, first_best(ranks), 0.7))
    scale = min_max if options.get("normalize_scores", True) else list
    scores = [0.0] * len(models)
    for share, own, _, _ in parts:
        for index, value in enumerate(scale(own)):
            scores[index] += share * value / sum(part[0] for part in parts)
    prices = [model["price"] for model in models]
    if len({price for price in prices if price is not None}) > 1:
        for index, price in enumerate(min_max(prices)):
            if price is not None:
                scores[index] *= 1 + (1 - price) * COST_WEIGHT * weight["cost_weight"]
    final = [score + extra for score, extra in zip(scores, affinity(models, scores, turns, previous, responded))]
    best = first_best(final)
    ordered = sorted(final, reverse=True)
    if not parts:
        confidence = 0.5
    else:
        agreeing = sum(part[2] == best for part in parts) / len(parts)
        confidence = (agreeing + sum(part[3] for part in parts) / len(parts)) / 2
    return {"candidate": best, "confidence": confidence, "margin": ordered[0] - ordered[1]}


def affinity(models, scores, turns, previous, responded):
    context = math.ceil(sum(turn["characters"] for turn in turns) / 4)
    history = math.ceil(sum(turn["characters"] for turn in turns[:-1]) / 4)
    depth = clamp(sum(turn["role"] == "user" for turn in turns[:-1]) / 4)
    if history == 0 and not responded:
        return [0.0] * len(models)
    reuse, mass = clamp(history / max(1, context)), clamp(history / 4096)
    request = 0.45 * reuse + 0.30 * mass + 0.25 * depth
    if responded:
        request = max(0.15, request)
    first, second = sorted(scores, reverse=True)[:2]
    strength = 0.14 * request * clamp(1 - (first - second) / 0.20)
    known = previous is not None
    result = []
    for index, model in enumerate(models):
        same = 1 if index == previous else 0
        share = None if model["window"] is None else context / model["window"]
        fit = 0.5 if share is None else 1 if share <= 0.5 else 0.7 if share <= 0.75 else 0.3 if share <= 1 else 0
        effect = 0.50 * same + 0.35 * same * reuse + 0.15 * same * depth
        effect += -0.35 * (1 - same) * request + 0.15 * (fit - 0.5)
        trust = clamp(0.15 + 0.35 * reuse + 0.20 * mass + 0.15 * depth + 0.15 * fit + 0.15 * known)
        result.append(strength * trust * (1 if known else 0.6) * math.tanh(effect))
    return result


write_cases(make, 15)
