"""Generated texts with personal data."""

import random
import unittest
from typing import get_args

from train.generators import pii
from train.generators.deal import Split
from train.generators.pii_values import identifiers
from train.signals.examples import Example, Span
from train.signals.tasks.pii import of_other_templates

LABELS = {"PERSON", "LOCATION", "ORG", "EMAIL", "PHONE", "US_SSN", "CREDIT_CARD", "IP", "IBAN", "ID", "DATE_TIME", "AGE", "TITLE", "NRP", "ZIP", "URL", "DRIVER_LICENSE", "PASSWORD", "USERNAME", "STREET_ADDRESS"}


def rows_of(split: Split, count: int = 1500):
    return pii.generate(split, random.Random(3), count)


class PiiTemplates(unittest.TestCase):
    def test_what_one_template_made_with_other_values_is_no_unseen_text(self):
        of = lambda text, *cuts: Example(text, "s", spans=tuple(Span(text.index(cut), text.index(cut) + len(cut), "PERSON") for cut in cuts))  # noqa: E731
        trained = [of("My name is Ann Lee and I live here.", "Ann Lee"), of("Call Bob.", "Bob")]
        new = of("The orchestra was founded by Ann Lee.", "Ann Lee")
        same, like = of("My name is Joe and I live here.", "Joe"), of("My name is Joe and I live there, too.", "Joe")
        self.assertEqual([new], of_other_templates([same, new, like, of("Call Zoe!", "Zoe")], trained))


class PiiRows(unittest.TestCase):
    def test_the_same_seed_gives_the_same_rows(self):
        self.assertEqual(rows_of("train", 200), rows_of("train", 200))

    def test_spans_lie_in_the_text_in_order_and_do_not_overlap(self):
        for split in get_args(Split):
            for row in rows_of(split):
                end = 0
                for span in row.spans:
                    cut = row.text[span.start : span.end]
                    self.assertTrue(end <= span.start < span.end <= len(row.text))
                    self.assertEqual(cut, cut.strip())
                    self.assertNotRegex(cut, r"[{}]" if span.label != "PASSWORD" else r"^$")
                    end = span.end

    def test_every_label_occurs_and_a_quarter_has_no_span(self):
        for split in get_args(Split):
            rows = rows_of(split, 3000)
            self.assertEqual({span.label for row in rows for span in row.spans}, LABELS)
            self.assertGreater(sum(not row.spans for row in rows), 750)

    def test_splits_share_no_template_and_no_text(self):
        texts = {split: {row.text for row in rows_of(split)} for split in get_args(Split)}
        sources = {split: {row.source for row in rows_of(split)} for split in get_args(Split)}
        for values in (texts, sources):
            self.assertFalse(values["train"] & values["validation"])
            self.assertFalse(values["train"] & values["contrast"])
            self.assertFalse(values["validation"] & values["contrast"])

    def test_mail_addresses_and_cards_are_what_their_label_says(self):
        for row in rows_of("train"):
            for span in row.spans:
                cut = row.text[span.start : span.end]
                if span.label == "EMAIL":
                    self.assertIn("@", cut)
                if span.label == "CREDIT_CARD":
                    digits = "".join(sign for sign in cut if sign.isdigit())
                    self.assertEqual(identifiers.luhn_digit(digits[:-1]), digits[-1])
                if span.label == "IBAN":
                    plain = cut.replace(" ", "").upper()
                    self.assertEqual(int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97, 1)

    def test_look_alike_cards_fail_the_check(self):
        chance = random.Random(1)
        for _ in range(200):
            digits = "".join(sign for sign in identifiers.card(chance, valid=False) if sign.isdigit())
            self.assertNotEqual(identifiers.luhn_digit(digits[:-1]), digits[-1])

    def test_a_made_text_is_marked_as_the_slots_say(self):
        text, spans = pii.join(pii.to_pieces("[[PERSON|Ann]] has {{name}} and {x}.", lambda slot, number: ("42", "AGE")))
        self.assertEqual([text[span.start : span.end] for span in spans], ["Ann", "42"])
        self.assertEqual(text, "Ann has {{name}} and 42.")


if __name__ == "__main__":
    unittest.main()
