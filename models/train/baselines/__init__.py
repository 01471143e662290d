"""What rules and word counts answer: the floor that a model has to stand above."""
