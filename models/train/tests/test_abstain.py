"""Choices none of whose options fits."""

import random
import unittest
from dataclasses import replace

from tokenizers import Tokenizer, models, pre_tokenizers

from ..decide.abstain import ABSTAIN, leave_out, without_answer
from ..decide.layout import place_of_answer, row_of
from ..generators.decisions import Decision

CHOICE = Decision("It is cold.", "choice", "What is it like?", (("cold", None), ("warm", None), ("wet", "rain")), "warm", "t", "s")
SPECIAL = ["[CLS]", "[SEP]", "[MASK]", "[UNK]"]
WORDS = "choice noul question : what is it like ? cold warm wet rain none of these . false true".split()


def tokenizer() -> Tokenizer:
    vocabulary = {token: number for number, token in enumerate([*SPECIAL, *WORDS])}
    made = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return made


class AbstainTest(unittest.TestCase):
    def test_the_right_option_goes_and_nothing_else(self) -> None:
        lost = without_answer(CHOICE)
        self.assertEqual(((("cold", None), ("wet", "rain")), None), (lost.options, lost.answer))
        self.assertEqual(2, place_of_answer(lost))
        self.assertEqual(1, place_of_answer(CHOICE))

    def test_so_many_of_the_choices_with_enough_options_lose_it(self) -> None:
        noul = Decision("It rains.", "noul", "Is it wet?", (("false", None), ("true", None)), True, "t", "s")
        two = Decision("It rains.", "choice", "Which?", (("a", None), ("b", None)), "a", "t", "s")
        named = Decision("It rains.", "choice", "Which?", (("a", None), ("b", None), (ABSTAIN, None)), "a", "t", "s")
        said = [replace(named, options=(*named.options[:2], option)) for option in (("E", "None of these"), ("other", None))]
        listed = replace(CHOICE, state="A. cold B. none of the above")
        kept = [noul, two, *[named, *said, listed] * 20]
        left = leave_out([CHOICE] * 400 + kept, 0.25, random.Random(1))
        self.assertEqual(kept, left[400:])
        self.assertTrue(70 < sum(one.answer is None for one in left) < 130)

    def test_none_of_them_is_read_behind_the_options_of_a_choice(self) -> None:
        made = tokenizer()
        row = row_of(CHOICE, made)
        self.assertEqual(3, len(row.markers))
        read = [made.id_to_token(number) for number in row.ids[row.abstain :]]
        self.assertEqual(["[MASK]", *ABSTAIN.split(), "[SEP]"], read[:5])

    def test_who_names_it_has_it_as_an_option_and_a_noul_has_none(self) -> None:
        named = Decision("It is cold.", "choice", "Which?", (("cold", None), (f" {ABSTAIN} ", None)), "cold", "t", "s")
        noul = Decision("It is cold.", "noul", "Is it?", (("false", None), ("true", None)), True, "t", "s")
        for decision in (named, noul):
            row = row_of(decision, tokenizer())
            self.assertEqual((2, None), (len(row.markers), row.abstain))


if __name__ == "__main__":
    unittest.main()
