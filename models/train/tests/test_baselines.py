"""What answers without a model."""

import unittest

from ..baselines.bag_of_words import answer_by_words, fit_words
from ..baselines.overlap import find_unsupported
from ..baselines.personal_data import find_personal_data, learn_names, passes_luhn
from ..baselines.shared_words import answer_by_shared_words, learn_commonest
from ..generators.decisions import Decision
from ..signals.examples import Example, Span


def cuts(text: str, spans: list[Span]) -> list[tuple[str, str]]:
    return [(text[span.start : span.end], span.label) for span in spans]


def named(text: str, *names: tuple[str, str]) -> Example:
    spans = tuple(Span(text.index(name), text.index(name) + len(name), kind) for name, kind in names)
    return Example(text, "s", spans=spans)


class PersonalDataTest(unittest.TestCase):
    def test_patterns_find_what_has_a_form(self) -> None:
        text = "Mail a.b@c.org from 10.0.0.1, pay 4111 1111 1111 1111 or DE89 3704 0044 0532 0130 00, SSN 123-45-6789."
        self.assertEqual(
            [
                ("a.b@c.org", "EMAIL"), ("10.0.0.1", "IP"), ("4111 1111 1111 1111", "CREDIT_CARD"),
                ("DE89 3704 0044 0532 0130 00", "IBAN"), ("123-45-6789", "US_SSN"),
            ],
            cuts(text, find_personal_data(text, {})),
        )  # fmt: skip

    def test_a_card_has_to_pass_its_check(self) -> None:
        self.assertTrue(passes_luhn("4111 1111 1111 1111"))
        self.assertFalse(passes_luhn("4111 1111 1111 1112"))

    def test_words_that_are_mostly_names_are_found_side_by_side(self) -> None:
        rows = [named("Ann Lee sings in May.", ("Ann Lee", "PERSON"))] * 2 + [named("May is over. May it be.")] * 3
        names = learn_names(rows)
        self.assertEqual({"Ann": "PERSON", "Lee": "PERSON"}, names)
        text = "Today Ann Lee met Ann, then Lee."
        self.assertEqual([("Ann Lee", "PERSON"), ("Ann", "PERSON"), ("Lee", "PERSON")], cuts(text, find_personal_data(text, names)))

    def test_one_sighting_is_chance(self) -> None:
        self.assertEqual({}, learn_names([named("Ann sings.", ("Ann", "PERSON"))]))


class OtherBaselinesTest(unittest.TestCase):
    def test_words_that_neither_context_nor_question_has_are_not_supported(self) -> None:
        answer = "The tower is 400 metres tall."
        found = find_unsupported("The TOWER is 330 m tall.", "How many metres?", answer, "UNSUPPORTED")
        self.assertEqual([("400", "UNSUPPORTED")], cuts(answer, found))

    def test_word_counts_tell_labels_apart_with_a_probability(self) -> None:
        rows = [Example("draw a cat", "s", "image"), Example("explain a law", "s", "text")] * 5
        answers = answer_by_words(fit_words(rows), [Example("draw a dog", "s"), Example("explain a dog", "s")])
        self.assertEqual(["image", "text"], [answer["label"] for answer in answers])
        self.assertTrue(all(0.5 < answer["probability"] <= 1 for answer in answers))
        self.assertEqual([], answer_by_words(fit_words(rows), []))

    def test_the_option_that_shares_most_words_is_chosen(self) -> None:
        options = (("weather_query", None), ("alarm", "set an alarm clock"), ("music", None))
        decision = Decision("Please set the clock for six", "choice", "What?", options, "alarm", "t", "s")
        self.assertEqual("alarm", answer_by_shared_words(decision, {}))

    def test_other_types_get_the_commonest_answer_of_training(self) -> None:
        nouls = [Decision("a", "noul", "b", (("false", None), ("true", None)), answer, "t", "s") for answer in (True, True, False)]
        commonest = learn_commonest(nouls)
        self.assertIs(True, answer_by_shared_words(nouls[2], commonest))
        levels = tuple((level, None) for level in ("none", "some", "much"))
        self.assertEqual(1, answer_by_shared_words(Decision("a", "score", "b", levels, 2, "t", "s"), commonest))


if __name__ == "__main__":
    unittest.main()
