"""Typed questions about a state, of which the generator itself decided every attribute."""

from .decision import Decision
from .generate import generate

__all__ = ["Decision", "generate"]
