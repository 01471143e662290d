"""Which sources of attacks train, and which measure."""

import random
import unittest

from train.signals.tasks.jailbreak import as_mail, capped, trains


def row(source: str, text: str = "a text", kind: str = "k", label: int = 0) -> dict:
    return {"source": source, "text": text, "kind": kind, "label": label}


class JailbreakSplitTest(unittest.TestCase):
    def test_a_source_is_on_one_side_whatever_its_texts(self):
        for source in ("NVIDIA/garak", "embed/trig1/hij", "pallms/jailbreak"):
            self.assertEqual(1, len({trains(row(source, text)) for text in ("one", "two", "three", "four", "five")}), source)

    def test_an_encoding_is_on_one_side_whatever_it_hides(self):
        for name in ("ROT13", "BASE64", "Hex", "Morse", "reversed"):
            self.assertEqual(trains(row(f"garak/encoding/{name}")), trains(row(f"garak/encoding/benign_{name}")), name)

    def test_clean_documents_of_one_form_are_on_both_sides(self):
        self.assertEqual({True, False}, {trains(row("embed/clean/email", str(number))) for number in range(20)})

    def test_no_kind_no_source_and_no_file_is_more_than_its_cap(self):
        rows = [row(f"source {number % 10}", str(number), f"kind {number % 2}") for number in range(400)]
        self.assertEqual(60, len(capped(rows, 1000, 30, random.Random(1))))
        self.assertEqual(50, len(capped(rows, 50, 30, random.Random(1))))
        german = [row(f"multijail/l{number % 6}", str(number)) for number in range(600)]
        self.assertEqual(150, len(capped(german, 1000, 1000, random.Random(1))))

    def test_a_mail_has_its_text_whole(self):
        text = "Memory poisoning can have lasting effects.\n\nValidate what agents remember."
        mails = [as_mail(text, random.Random(number)) for number in range(20)]
        self.assertTrue(all(text in mail and len(mail) > len(text) + 20 for mail in mails))
        self.assertEqual({True, False}, {mail.startswith("From: ") for mail in mails})


if __name__ == "__main__":
    unittest.main()
