"""The `guard` package: one head for attacks, over an encoder of its own."""
