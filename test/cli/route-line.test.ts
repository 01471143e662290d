import { expect, test } from "vitest"
import { routeLine } from "../../ts/cli/route-line.ts"

test.each<[string, Record<string, string>, string]>([
  [
    "a decision and its model",
    {
      "x-rtr-response-path": "upstream",
      "x-rtr-selected-decision": "hard-work",
      "x-rtr-selected-model": "large",
      "x-rtr-selected-confidence": "0.9177",
      "x-rtr-routing-latency-ms": "3.4166",
    },
    "hard-work → large (confidence 0.92), 3.4 ms to decide",
  ],
  [
    "a decision without conditions",
    {
      "x-rtr-response-path": "upstream",
      "x-rtr-selected-decision": "normal",
      "x-rtr-selected-model": "house",
      "x-rtr-selected-confidence": "0.0000",
    },
    "normal → house",
  ],
  [
    "a plugin that answers",
    { "x-rtr-response-path": "fast_response", "x-rtr-selected-decision": "calm-down" },
    "calm-down → fast_response plugin",
  ],
  [
    "a model that was asked for by name",
    { "x-rtr-response-path": "upstream", "x-rtr-selected-model": "small", "x-rtr-routing-latency-ms": "0.000" },
    "(no decision) → small, 0.0 ms to decide",
  ],
  [
    "names outside ASCII",
    { "x-rtr-response-path": "looper", "x-rtr-selected-decision": "%C3%BCber", "x-rtr-selected-model": "100% oak" },
    "über → 100% oak",
  ],
  ["what no router has sent", { "content-type": "text/html" }, "(no routing headers)"],
])("%s", (_, headers, line) => {
  expect(routeLine(new Headers(headers))).toBe(line)
})
