"""A predictor of how well each known model answers a prompt, from a public matrix of right and wrong answers."""
