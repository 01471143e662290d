"""Which answers should not be used."""

import random
import unittest

import numpy as np

from ..decide.abstention import Shown, abstains, fit, leave_tasks_out, show
from ..decide.golden import to_probe
from ..generators.decisions import Decision

CHOICE = Decision("It is cold.", "choice", "Which?", (("cold", None), ("warm", None), ("wet", None)), "warm", "t", "s")
NOUL = Decision("It is cold.", "noul", "It is.", (("false", None), ("true", None)), True, "t", "s")


def many(task: str, kind: str = "choice", count: int = 400) -> list[Shown]:
    """Answers as often right as they are sure."""
    chance = random.Random(task)
    tops = [chance.uniform(0.3, 1) for _ in range(count)]
    return [Shown(task, kind, top, chance.random(), chance.random() < top) for top in tops]


class AbstentionTest(unittest.TestCase):
    def test_an_answer_shows_its_probability_and_the_share_of_none_of_them(self) -> None:
        shown = show("t", CHOICE, np.log([1.0, 4.0, 3.0, 2.0]))
        self.assertEqual(("t", "choice", True), (shown.task, shown.type, shown.is_right))
        self.assertAlmostEqual(0.5, shown.top)
        self.assertAlmostEqual(0.2, shown.none)
        self.assertFalse(show("t", CHOICE, np.log([4.0, 1.0, 3.0, 2.0])).is_right)
        self.assertEqual(0.0, show("t", NOUL, np.log([1.0, 4.0])).none)

    def test_what_has_no_right_option_is_never_right(self) -> None:
        lost = Decision("It is cold.", "choice", "Which?", CHOICE.options, None, "t", "s")
        self.assertFalse(any(show("t", lost, np.log(logits)).is_right for logits in np.eye(3) + 1))

    def test_unsure_answers_are_left_out_where_two_of_three_are_wrong(self) -> None:
        shown = many("a", count=4000)
        weights = fit(shown, ("top", "none"))
        self.assertEqual(["bias", "top", "none"], list(weights))
        self.assertEqual(weights, fit(shown, ("top", "none")))
        silent = abstains(shown, weights)
        self.assertAlmostEqual(2 / 3, max(one.top for one, is_silent in zip(shown, silent, strict=True) if is_silent), delta=0.06)
        self.assertAlmostEqual(0.0, weights["none"], delta=0.3)

    def test_without_values_every_answer_has_the_same_probability(self) -> None:
        shown = [Shown("a", "noul", 0.9, 0.0, place >= 5) for place in range(15)]
        weights = fit(shown, ())
        self.assertEqual({"bias": 0.0}, weights)
        self.assertTrue(abstains(shown, weights).all())
        self.assertFalse(abstains(shown, {"bias": -0.01}).any())

    def test_a_task_is_judged_by_the_others_and_never_by_its_own_texts(self) -> None:
        # Sure where it is wrong: who had seen it would know.
        turned = [Shown("b", "score", one.top, 0.0, not one.is_right) for one in many("b", "score")]
        figures = leave_tasks_out([*many("a", "score"), *many("c", "score"), *turned])["score"]
        self.assertEqual(["a", "b", "c"], list(figures))
        self.assertGreater(0.4, figures["b"]["right_of_answered"])
        self.assertEqual(400, figures["b"]["questions"])
        intents, other = many("hwu64"), many("other")
        self.assertEqual(
            leave_tasks_out([*intents, *other])["choice"]["hwu64"], leave_tasks_out([*intents, *many("left_out"), *other])["choice"]["hwu64"]
        )

    def test_golden_answers_have_what_the_package_weighs(self) -> None:
        logits = np.log([1.0, 4.0, 3.0, 2.0])
        calibration = {"temperatures": {}, "thresholds": {}}
        self.assertAlmostEqual(0.2, to_probe(CHOICE, logits, calibration)["abstain"])
        self.assertNotIn("abstain", to_probe(NOUL, logits[:2], calibration))
        weighed = calibration | {"abstention": {"choice": {"bias": 1.0, "top": -2.0, "none": 5.0}, "noul": {"bias": 0.0}}}
        self.assertAlmostEqual(1 / (1 + np.exp(-1.0)), to_probe(CHOICE, logits, weighed)["abstain"], places=6)
        self.assertEqual(0.5, to_probe(NOUL, logits[:2], weighed)["abstain"])


if __name__ == "__main__":
    unittest.main()
