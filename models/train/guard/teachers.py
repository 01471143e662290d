"""Trained networks whose answers a guard learns beside the labels.

Networks that began with other weights err in other places. The mean of their answers errs less than each of them; a network that learns
this mean is as small as one of them.
"""

from pathlib import Path

import torch
from torch import Tensor

from .network import HEAD, Network, load_run, read_calibration

# How much of what is learned is the label; labels of public data are not all right.
LABEL = 0.4
# So much of a label goes to the other one.
SMOOTHING = 0.025


class Teachers:
    """`runs` are folders of trained runs, whose encoders read the same tokens."""

    def __init__(self, runs: tuple[Path, ...], device: torch.device) -> None:
        self.taught = [(load_run(run).to(device), read_calibration(run)["temperature"]) for run in runs]

    @torch.no_grad()
    def targets(self, batch: dict[str, Tensor], later: Tensor) -> Tensor:
        """The probability of an attack to be learned, `[rows]`. `later` says of which rows the teachers know nothing."""
        label = batch["target"].float() * (1 - 2 * SMOOTHING) + SMOOTHING
        if not self.taught:
            return label
        said = torch.sigmoid(sum(logit(network, batch) / temperature for network, temperature in self.taught) / len(self.taught))
        return torch.where(later, label, LABEL * label + (1 - LABEL) * said)


def logit(network: Network, batch: dict[str, Tensor]) -> Tensor:
    """How much more likely an attack is, as a logarithm, `[rows]`."""
    return network.sequence(HEAD.name, network.vectors(batch)).float().diff(dim=1).squeeze(1)
