import { RtrError } from "rtr"
import { createFakeInference } from "rtr/testing"
import { describe, expect, test } from "vitest"
import { watchedKernel, type WatchedOptions } from "../../../fakes/watched-kernel.ts"

const debug = { "x-rtr-debug": "true" }

const changes = {
  "routing.signals": {
    keywords: [
      { name: "urgent", operator: "OR", keywords: ["urgent"] },
      { name: "polite", operator: "OR", keywords: ["please"] },
    ],
    domains: [{ name: "math" }, { name: "law" }],
    context: [
      { name: "room", min_tokens: 1, include_output: true },
      { name: "size", min_tokens: 1 },
    ],
    structure: [{ name: "marks", feature: { type: "count", source: { type: "regex", pattern: "!" } } }],
  },
  "routing.decisions": [
    {
      name: "rush",
      rules: {
        operator: "OR",
        conditions: [
          { type: "keyword", name: "urgent" },
          { type: "keyword", name: "polite" },
          { type: "domain", name: "math" },
          { type: "structure", name: "marks" },
          { type: "context", name: "size" },
          { type: "context", name: "room" },
        ],
      },
      modelRefs: [{ model: "large" }],
      plugins: [{ type: "system_prompt", configuration: { system_prompt: "a secret plan" } }],
    },
  ],
}

const options = (more: Partial<WatchedOptions> = {}): WatchedOptions => ({
  changes,
  inference: createFakeInference({ labels: ["law", "math"], classify: () => [0.1, 0.9] }),
  ...more,
})

const ofRouter = (headers: Headers) =>
  Object.fromEntries(
    [...headers].filter(([name]) => /matched|category|context|values|reasoning|plugins|injected/.test(name)),
  )

describe("debug headers", () => {
  test("tell what signals and plugins did, and nothing of texts", async () => {
    const { ask } = await watchedKernel(options())
    const { headers } = await ask("urgent, please!!", { max_tokens: 50 }, debug)
    expect(ofRouter(headers)).toEqual({
      "x-rtr-matched-keywords": "urgent,polite",
      "x-rtr-matched-keyword": "urgent,polite",
      "x-rtr-matched-domains": "math",
      "x-rtr-matched-domain": "math",
      "x-rtr-matched-structure": "marks",
      "x-rtr-matched-context": "room,size",
      "x-rtr-context-token-count": "9",
      "x-rtr-selected-category": "math",
      "x-rtr-signal-values": expect.stringContaining("structure:marks=2"),
      "x-rtr-plugins": "system_prompt=changed",
      "x-rtr-injected-system-prompt": "true",
    })
    expect([...headers].join()).not.toContain("secret")
  })

  test.each<Record<string, string>>([{}, { "x-rtr-debug": "false" }])("are left out with %j", async (headers) => {
    const { ask } = await watchedKernel(options())
    expect(ofRouter((await ask("urgent", {}, headers)).headers)).toEqual({})
  })

  test("stay short however many rules match", async () => {
    const keywords = Array.from({ length: 300 }, (_, index) => ({
      name: `rule-${index}`,
      operator: "OR",
      keywords: ["urgent"],
    }))
    const { ask } = await watchedKernel({
      changes: {
        "routing.signals": { keywords },
        "routing.decisions": [
          { name: "d", rules: { type: "keyword", name: "rule-0" }, modelRefs: [{ model: "large" }] },
        ],
      },
    })
    const { headers } = await ask("urgent", {}, debug)
    expect(headers.get("x-rtr-matched-keywords")).toMatch(/^rule-0,rule-1,.*,more$/)
    expect(headers.get("x-rtr-matched-keywords")?.length).toBeLessThanOrEqual(1005)
  })
})

describe("a signal that could not be read", () => {
  const broken = () =>
    options({
      inference: createFakeInference({ labels: ["law", "math"], failWith: new RtrError("unavailable", "gone") }),
    })

  test("is told by a header and in the record, whether or not another condition decides", async () => {
    const { ask, records } = await watchedKernel(broken())
    const { status, headers } = await ask("urgent")
    expect([status, headers.get("x-rtr-selected-decision"), headers.get("x-rtr-unknown-signals")]).toEqual([
      200,
      "rush",
      "domain:math=unavailable,domain:law=unavailable",
    ])
    expect(records[0]?.unknown).toEqual([
      { type: "domain", rule: "math", reason: "unavailable" },
      { type: "domain", rule: "law", reason: "unavailable" },
    ])
  })

  test("is told on errors too", async () => {
    const given = broken()
    const { ask } = await watchedKernel({
      ...given,
      changes: {
        ...changes,
        "routing.decisions": [
          {
            name: "d",
            rules: { type: "domain", name: "math", on_unknown: "fail_request" },
            modelRefs: [{ model: "large" }],
          },
        ],
      },
    })
    const { status, headers } = await ask("urgent")
    expect([status, headers.get("x-rtr-unknown-signals")]).toEqual([
      503,
      "domain:math=unavailable,domain:law=unavailable",
    ])
  })

  test("leaves no header where all is known", async () => {
    const { ask, records } = await watchedKernel(options())
    expect((await ask("urgent")).headers.get("x-rtr-unknown-signals")).toBeNull()
    expect(records[0]).not.toHaveProperty("unknown")
  })
})
