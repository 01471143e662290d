// GET /metrics: the exposition for Prometheus.

import { defineRoute, operation, RtrError } from "../../kernel/index.ts"

export default defineRoute({
  about: "Metrics for Prometheus",
  listeners: ["metrics"],
  operations: [
    operation({
      id: "metrics.exposition",
      method: "GET",
      path: "/metrics",
      about: "All counters and timings",
      permission: "metrics.read",
      sensitivity: "operational",
      capability: "observability",
      plane: "infrastructure",
      audiences: ["operator"],
      stability: "stable",
      open: ["metrics"],
      replies: { 200: { about: "The exposition", type: "text/plain" } },
      errors: "management",
      errorStatuses: [404],
      needs: ["exposition"],
      setup:
        ({ metricsText }) =>
        async () => {
          const exposition = await metricsText()
          if (exposition === undefined) throw new RtrError("not_found", "This host keeps no metrics")
          return { text: exposition.text, headers: { "content-type": exposition.contentType } }
        },
    }),
  ],
})
