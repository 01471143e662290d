"""What was written by hand is read whole, and is what it says."""

import unittest
from collections import Counter

from train.signals.examples import identity
from train.signals.written import FURTHER, TIMES, WRITTEN, read_written, written

LARGEST_FILE = 900_000
COLUMNS = {"jailbreak": {"text", "label", "kind", "source"}, "pii": {"text", "kind"}}


class WrittenTest(unittest.TestCase):
    def test_the_rows_of_a_task_come_from_all_of_its_files(self) -> None:
        counts = Counter(row.source.split("/")[1] for row in written("jailbreak"))
        times = {"jailbreak": TIMES} | FURTHER["jailbreak"]
        self.assertEqual({file: times[file] * len(read_written(file)) for file in times}, counts)
        self.assertEqual({"jailbreak", "benign"}, {row.label for row in written("jailbreak")})

    def test_further_files_have_every_column_and_no_text_twice(self) -> None:
        for task, files in FURTHER.items():
            for file in files:
                rows = read_written(file)
                for row in rows:
                    self.assertEqual(COLUMNS[task], set(row), row)
                    self.assertTrue(row["text"].strip() and row.get("label", 0) in (0, 1), row)
                self.assertEqual([], [text for text, times in Counter(row["text"].casefold() for row in rows).items() if times > 1])

    def test_no_text_of_a_task_is_both_an_attack_and_harmless(self) -> None:
        labels: dict[tuple[str, ...], set[str | None]] = {}
        for row in written("jailbreak"):
            labels.setdefault(identity(row), set()).add(row.label)
        self.assertEqual([], [text for text, found in labels.items() if len(found) > 1])

    def test_every_kind_of_attack_has_as_many_harmless_twins(self) -> None:
        counts = Counter((row["kind"], row["label"]) for file in FURTHER["jailbreak"] for row in read_written(file))
        for kind in {kind for kind, _ in counts}:
            self.assertLessEqual(counts[kind, 1], counts[kind, 0], kind)
        self.assertEqual({0}, {row["label"] for row in read_written("over_defence")})

    def test_no_file_is_too_large_to_be_read_by_people(self) -> None:
        self.assertEqual([], [path.name for path in WRITTEN.glob("*.jsonl") if path.stat().st_size > LARGEST_FILE])


if __name__ == "__main__":
    unittest.main()
