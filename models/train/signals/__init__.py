"""The `signals` package: seven heads over one encoder."""
