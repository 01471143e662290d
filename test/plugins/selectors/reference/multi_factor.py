"""config-v03 5.5.1, multi_factor: limits first, then min-max factors by weight; 11.2: factors by priority, quality evidence."""

import math

from common import maybe, min_max, nearest_rank, observations, write_cases

FACTORS = ("quality", "latency", "cost", "load")


def random_options(chance):
    options = {}
    if chance.random() < 0.3:
        chosen = chance.sample(FACTORS, chance.randint(1, 4))
        options["objective"] = {
            "strategy": "lexicographic",
            "priorities": [{"factor": factor, "tolerance": chance.choice((0, 0.05, 0.3, 1))} for factor in chosen],
        }
    elif chance.random() < 0.8:
        names = chance.sample(FACTORS, chance.randint(1, 4))
        options["weights"] = {name: chance.choice((0, chance.random())) for name in names}
    if chance.random() < 0.6:
        slo = {
            "max_tpot_ms": maybe(chance, 0.4, chance.choice((0, chance.uniform(50, 500)))),
            "max_ttft_ms": maybe(chance, 0.4, chance.uniform(50, 500)),
            "max_cost_per_1m": maybe(chance, 0.4, chance.uniform(0.5, 8)),
            "max_inflight": maybe(chance, 0.4, chance.randint(0, 12)),
        }
        options["slo"] = {key: value for key, value in slo.items() if value is not None}
    if chance.random() < 0.5:
        options["latency_percentile"] = chance.randint(1, 100)
    if chance.random() < 0.3:
        options["latency_metric"] = chance.choice(("ttft", "tpot"))
    if chance.random() < 0.3:
        options["quality"] = {"index": "b", "on_missing": chance.choice(("exclude", "disable_quality"))}
        if options["quality"]["on_missing"] == "exclude" and chance.random() < 0.5:
            options["quality"]["min_score"] = chance.random()
    if chance.random() < 0.7:
        options["on_no_candidates"] = chance.choice(("cheapest", "first", "fail"))
    return options


def make(chance):
    options = random_options(chance)
    models = [
        {
            "quality": maybe(chance, 0.85, round(chance.uniform(0.05, 1), 2)),
            "price": maybe(chance, 0.85, chance.choice((0.1, 0.5, 1, 2, 5, 10))),
            "inFlight": chance.randint(0, 15),
            "perTokenMs": observations(chance),
            "firstByteMs": observations(chance),
        }
        for _ in range(chance.randint(2, 6))
    ]
    return {"input": {"options": options, "models": models}, "expected": choose(options, models)}


def choose(options, models):
    percent = options.get("latency_percentile", 95)
    slo = options.get("slo", {})
    rows = []
    for index, model in enumerate(models):
        tpot, ttft = nearest_rank(model["perTokenMs"], percent), nearest_rank(model["firstByteMs"], percent)
        limits = (
            (tpot, "max_tpot_ms"),
            (ttft, "max_ttft_ms"),
            (model["price"], "max_cost_per_1m"),
            (model["inFlight"], "max_inflight"),
        )
        if any(slo.get(key, 0) > 0 and value is not None and value > slo[key] for value, key in limits):
            continue
        metric = options.get("latency_metric")
        latency = {"tpot": tpot, "ttft": ttft}[metric] if metric else ttft if tpot is None else tpot
        rows.append(
            {"index": index, "quality": model["quality"], "latency": latency, "cost": model["price"], "load": model["inFlight"]}
        )
    priorities = options.get("objective", {}).get("priorities")
    weights = options.get("weights", {})
    total = sum(weights.values())
    shares = {name: weights.get(name, 0) / total if total > 0 else 0.25 for name in FACTORS}
    evidence = options.get("quality")
    if evidence:
        if "min_score" in evidence:
            rows = [row for row in rows if row["quality"] is not None and row["quality"] >= evidence["min_score"]]
        counts = any(entry["factor"] == "quality" for entry in priorities) if priorities else shares["quality"] > 0
        if counts and any(row["quality"] is None for row in rows):
            if evidence["on_missing"] == "exclude":
                rows = [row for row in rows if row["quality"] is not None]
            else:
                rows = [{**row, "quality": None} for row in rows]
    if not rows:
        return none_left(options, models)
    best, scores = by_priority(rows, priorities) if priorities else by_weight(rows, shares)
    if len(rows) == 1:
        confidence = 1
    elif scores[best] > 0:
        second = max(score for index, score in enumerate(scores) if index != best)
        confidence = min(1, (scores[best] - second) / scores[best] + 0.5)
    else:
        confidence = 0.5
    return {"candidate": rows[best]["index"], "confidence": confidence}


def none_left(options, models):
    policy = options.get("on_no_candidates", "cheapest")
    if policy == "fail":
        return {"refused": True}
    prices = [math.inf if model["price"] is None else model["price"] for model in models]
    return {"candidate": 0 if policy == "first" else prices.index(min(prices)), "confidence": 0}


def by_weight(rows, shares):
    scores = [0.0] * len(rows)
    for name in FACTORS:
        for index, value in enumerate(min_max([row[name] for row in rows])):
            if value is not None:
                scores[index] += shares[name] * (value if name == "quality" else 1 - value)
    return scores.index(max(scores)), scores


def by_priority(rows, priorities):
    alive = set(range(len(rows)))
    scores = [1.0] * len(rows)
    for stage, entry in enumerate(priorities):
        name = entry["factor"]
        known = {index: rows[index][name] for index in alive if rows[index][name] is not None}
        if not known:
            continue
        best = max(known.values()) if name == "quality" else min(known.values())
        band = abs(best) * entry["tolerance"]
        near = {i for i, value in known.items() if (value >= best - band if name == "quality" else value <= best + band)}
        for index in alive - near:
            scores[index] = stage / (len(priorities) + 1)
        alive = near
        if len(alive) == 1:
            break
    return min(alive), scores


write_cases(make, 12)
