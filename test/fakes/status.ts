// The status of a router that is ready.

import type { ActivationStatus, KernelStatus } from "rtr"

export const fakeActivation = (changes: Partial<ActivationStatus> = {}): ActivationStatus => ({
  version: 3,
  activeHash: "abc",
  observedHash: "abc",
  attempt: 4,
  state: "active",
  stage: undefined,
  lastRejection: undefined,
  ...changes,
})

export const fakeStatus = (changes: Partial<KernelStatus> = {}): KernelStatus => ({
  phase: "ready",
  ready: true,
  draining: false,
  updatedAt: new Date(0),
  instanceId: "instance-1",
  activation: fakeActivation(),
  configWarnings: [{ path: ["global", "x"], message: "has no effect" }],
  deployments: [{ name: "a", artifact: "signals", process: "p", state: "ready", ready: true, restarts: 0 }],
  ...changes,
})
