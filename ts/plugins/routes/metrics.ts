// GET /metrics: the exposition for Prometheus.

import { defineRoute, RtrError, textResponse } from "../../kernel/index.ts"

export default defineRoute({
  about: "Metrics for Prometheus",
  listeners: ["metrics"],
  needs: ["metrics"],
  operations: [{ method: "GET", path: "/metrics", about: "All counters and timings" }],
  setup: ({ metricsText }) => [
    async ({ id }) => {
      const exposition = await metricsText()
      if (exposition === undefined) throw new RtrError("not_found", "This host keeps no metrics")
      return textResponse(exposition.text, 200, { "content-type": exposition.contentType, "x-request-id": id })
    },
  ],
})
