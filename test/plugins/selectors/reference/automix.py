"""config-v03 5.5.1: v = q - price / 10 * tradeoff; by cost v / (1 + price * CostWeight), times 1.1 where p = 0.7 passes."""

from common import first_best, maybe, write_cases


def make(chance):
    block, shared = {}, {}
    if chance.random() < 0.5:
        block["cost_quality_tradeoff"] = chance.random()
    if chance.random() < 0.5:
        shared["cost_quality_tradeoff"] = chance.random()
    for target in (block, shared):
        if chance.random() < 0.3:
            target["cost_aware_routing"] = chance.random() < 0.6
        if chance.random() < 0.3:
            target["verification_threshold"] = chance.random()
    models = [
        {
            "quality": maybe(chance, 0.8, chance.choice((0, chance.uniform(0.01, 1)))),
            "price": maybe(chance, 0.8, chance.uniform(0, 20)),
        }
        for _ in range(chance.randint(2, 6))
    ]
    setting = lambda key, usual: block.get(key, shared.get(key, usual))
    aware, threshold = setting("cost_aware_routing", True), setting("verification_threshold", 0.7)
    tradeoff = shared.get("cost_quality_tradeoff", 0.3)
    weight = block.get("cost_quality_tradeoff", 0.5)
    ranks = []
    for model in models:
        quality = model["quality"] if model["quality"] is not None and 0 < model["quality"] <= 1 else 0.8
        price = model["price"] or 0
        if aware:
            value = quality - price / 10 * tradeoff
            rank = value / (1 + price * weight)
            ranks.append(rank * 1.1 if 0.7 >= threshold else rank)
        else:
            ranks.append(quality)
    expected = {"candidate": first_best(ranks), "confidence": 0.7}
    return {"input": {"options": block, "shared": shared, "models": models}, "expected": expected}


write_cases(make, 14)
