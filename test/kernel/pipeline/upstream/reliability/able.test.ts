// Candidates that cannot take a request are left out before the choice.

import { expect, test } from "vitest"
import { chat, post } from "../../../../fakes/kernel.ts"
import { watchedKernel } from "../../../../fakes/watched-kernel.ts"

/** Three models by price, the best of which has a small window and cannot use tools. */
const requiring = (decision: object, changes: object = {}) =>
  watchedKernel({
    changes: {
      "providers.models": ["a", "b", "c"].map((name, index) => ({
        name,
        backend_refs: [{ endpoint: `${name}.example` }],
        pricing: { prompt_per_1m: 1 + index, completion_per_1m: 1 },
      })),
      "providers.defaults.model": "c",
      "routing.modelCards": [
        { name: "a", context_window_size: 50, capabilities: ["tools"], quality_score: 0.9 },
        { name: "b", context_window_size: 5000, capabilities: ["chat"], quality_score: 0.5 },
        { name: "c", context_window_size: 5000, capabilities: ["tools"], quality_score: 0.8 },
      ],
      "routing.candidate_requirements": { context: "known_limits", capabilities: "declared" },
      "routing.decisions": [{ name: "all", modelRefs: [{ model: "b" }, { model: "a" }, { model: "c" }], ...decision }],
      ...changes,
    },
  })

const best = {
  algorithm: { type: "multi_factor", multi_factor: { weights: { quality: 1, latency: 0, cost: 0, load: 0 } } },
}
const long = "word ".repeat(100)
const tools = [{ type: "function", function: { name: "look", parameters: {} } }]

test("the selector chooses among those that can take the request", async () => {
  const { ask, records } = await requiring(best)
  const chosen = async (text: string, body: object = {}) => {
    const { headers } = await ask(text, body)
    return [headers.get("x-selected-model"), headers.get("x-rtr-attempts")]
  }
  expect(await chosen("short")).toEqual(["a", "a/primary=200"])
  // 500 characters are 125 tokens, more than the 50 of a; c is better than b, which stands before it.
  expect(await chosen(long)).toEqual(["c", "a=skipped:context_length,c/primary=200"])
  expect(await chosen("short", { tools })).toEqual(["a", "b=skipped:tools,a/primary=200"])
  expect(await chosen(long, { tools })).toEqual(["c", "b=skipped:tools,a=skipped:context_length,c/primary=200"])
  expect(records.map(({ selection }) => [selection?.candidate, selection?.algorithm])).toEqual([
    [1, "multi_factor"],
    [2, "multi_factor"],
    [1, "multi_factor"],
    [2, "multi_factor"],
  ])
})

test("where none can take it, all are asked for the choice, and the chosen one says so itself", async () => {
  const { ask } = await requiring(best)
  const { headers } = await ask("word ".repeat(5000))
  expect(headers.get("x-selected-model")).toBe("a")
})

test("a preview chooses as a request does", async () => {
  const { kernel } = await requiring(best)
  const body = (content: string) => ({ model: "MoM", messages: [{ role: "user", content }] })
  const previewed = async (content: string) =>
    (
      (await (await kernel.management.fetch(post("/api/v1/routing/preview", body(content)))).json()) as {
        selected_model: string
      }
    ).selected_model
  expect([await previewed("short"), await previewed(long)]).toEqual(["a", "c"])
})

test("a looper asks those that can take the request", async () => {
  const { kernel, sent, transport } = await requiring({ algorithm: { type: "ratings" } })
  const response = await kernel.fetch(chat(long))
  expect(((await response.json()) as { model: string }).model).toBe("b,c")
  expect(transport.requests.map(({ url }) => new URL(url).hostname)).toEqual(["b.example", "c.example"])
  expect([sent().length, response.headers.get("x-rtr-attempts")]).toEqual([
    2,
    "a=skipped:context_length,b/primary=200,c/primary=200",
  ])
})

test("a looper whose roles name a model keeps it", async () => {
  const roles = [{ name: "draft", models: ["a"] }]
  const { kernel, transport } = await requiring({
    algorithm: { type: "workflows", workflows: { roles, final: { model: "c" } } },
  })
  expect((await kernel.fetch(chat(long))).status).toBe(200)
  expect(transport.requests.map(({ url }) => new URL(url).hostname)).toEqual(["a.example", "c.example"])
})
