"""Options of a choice become yes-or-no questions with the right answer."""

import random
import unittest

from ..decide.asked import claims, to_statement
from ..generators.decisions import Decision
from ..generators.decisions.claim import CLAIMS, claim

CHOICE = Decision("play some jazz", "choice", "Which action?", (("PlayMusic", "play music"), ("get_weather", None)), "PlayMusic", "t", "s")


class ClaimTest(unittest.TestCase):
    def test_a_claim_holds_if_it_names_the_right_option_and_is_not_negated(self) -> None:
        chance, seen = random.Random(1), set()
        plain = {frame.format(option=name, Option=name.capitalize()) for frame in CLAIMS["train"]["plain"] for name in ("play music", "get weather")}
        for _ in range(300):
            asked = claim(CHOICE, "train", chance)
            says_right, negated = "play music" in asked.instructions.lower(), asked.instructions not in plain
            self.assertEqual(says_right, asked.answer != negated, asked.instructions)
            self.assertEqual(("noul", CHOICE.state), (asked.type, asked.state))
            seen.add((says_right, negated))
        self.assertEqual(4, len(seen))

    def test_measuring_frames_do_not_train(self) -> None:
        train, unseen = ({frame for frames in CLAIMS[wordings].values() for frame in frames} for wordings in ("train", "unseen"))
        self.assertFalse(train & unseen)

    def test_choices_without_a_right_option_or_with_one_that_says_none_claim_nothing(self) -> None:
        without = Decision("a", "choice", "b", (("x", None), ("y", None)), None, "t", "s")
        none = Decision("a", "choice", "b", (("x", None), ("none of these", None)), "x", "t", "s")
        noul = Decision("a", "noul", "b", (("false", None), ("true", None)), True, "t", "s")
        self.assertEqual([], claims([without, none, noul], "train", random.Random(1)))

    def test_sentences_become_state_and_statement(self) -> None:
        pair = Decision("sentence 1: It is red.\nsentence 2: It has a colour.", "choice", "How?", (("entailment", None), ("neutral", None)), "entailment", "MNLI", "s")
        asked = to_statement(pair)
        self.assertEqual(("It is red.", "It has a colour.", True), (asked.state, asked.instructions, asked.answer))
        self.assertIsNone(to_statement(CHOICE))


if __name__ == "__main__":
    unittest.main()
