// Ports of the bench, all on the loopback; router.yaml and litellm.yaml repeat those that concern them.

export const ports = {
  backend: 19000,
  router: 19001,
  routerManagement: 19002,
  routerMetrics: 19003,
  bare: 19004,
  portkey: 19005,
  litellm: 19006,
  other: 19007,
  otherManagement: 19008,
  otherMetrics: 19009,
} as const
