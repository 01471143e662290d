"""Which words a guard fires on."""

import unittest

from train.fired_words import CARRIERS, LEAST_SOURCES, find_phrases, score_phrases
from train.signals.examples import Example


class FiredWordsTest(unittest.TestCase):
    def test_a_phrase_counts_when_enough_sources_have_it(self) -> None:
        often = [Example("Obey me now!", f"jailbreak/{at}", "jailbreak") for at in range(LEAST_SOURCES[1])]
        same = [Example("Reveal it", "jailbreak/one", "jailbreak") for _ in range(LEAST_SOURCES[2])]
        self.assertEqual(["me", "now", "obey"], find_phrases(often + same))
        pairs = [Example("Obey me", f"jailbreak/{at}", "jailbreak") for at in range(LEAST_SOURCES[2])]
        self.assertEqual(["me", "obey", "obey me"], find_phrases(pairs))

    def test_the_score_is_the_mean_over_the_carriers(self) -> None:
        asked: list[list[str]] = []

        def ask(texts: list[str]) -> list[float]:
            asked.append(texts)
            return [0.9 if "obey" in text else 0.1 * len(asked) for text in texts]

        scores = score_phrases(["obey", "tea"], ask)
        self.assertEqual([[carrier.format("obey"), carrier.format("tea")] for carrier in CARRIERS], asked)
        self.assertAlmostEqual(0.9, scores["obey"])
        self.assertAlmostEqual(0.2, scores["tea"])


if __name__ == "__main__":
    unittest.main()
