"""What trains and what measures stay apart, across heads as well."""

import unittest

from train.signals.examples import Example, TaskData
from train.signals.tasks import apart


class SplitsTest(unittest.TestCase):
    def test_what_measures_one_head_trains_none(self):
        shared, own, pair = Example("A red  apple", "a", "x"), Example("a pear", "a", "x"), Example("yes", "a", first="a question")
        fruit = TaskData([own], [], {"set": [shared, Example("yes", "b", "x")]})
        other = TaskData([Example("a RED apple", "b", "y"), pair, own], [], {})
        found = apart({"fruit": fruit, "other": other})
        self.assertEqual([own], found["fruit"].train)
        self.assertEqual([pair, own], found["other"].train)
        self.assertEqual(fruit.unseen, found["fruit"].unseen)


if __name__ == "__main__":
    unittest.main()
