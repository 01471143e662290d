// Ports of the bench, all on the loopback; router.yaml and litellm.yaml repeat those that concern them.

export const ports = {
  backend: 19020,
  router: 19021,
  routerManagement: 19022,
  routerMetrics: 19023,
  litellm: 19024,
} as const
