// Recipes and entrypoints as clients and operators see them.

import { requestLine } from "rtr"
import { describe, expect, onTestFinished, test } from "vitest"
import { documentWith } from "../../../fakes/document.ts"
import { createFakeKernel, get, post } from "../../../fakes/kernel.ts"
import { completion, createFakeTransport, jsonReply } from "../../../fakes/transport.ts"
import { watchedKernel } from "../../../fakes/watched-kernel.ts"

const keyword = (...keywords: string[]) => [{ name: "urgent", operator: "OR", keywords }]
const rush = (model: string, more: object = {}) => ({
  name: "rush",
  rules: { type: "keyword", name: "urgent" },
  modelRefs: [{ model }],
  ...more,
})

/** The recipe's rule and decision have the names of those that `routing` has. */
const twoProfiles = {
  recipes: [
    { name: "private", routing: { signals: { keywords: keyword("passport") }, decisions: [rush("small")] } },
    { name: "unused", routing: {} },
  ],
  entrypoints: [
    { model_names: [" acme/private ", "acme/p", "acme/p"], recipe: "private" },
    { model_names: ["acme/main"], recipe: "default" },
  ],
}

const selected = ({ headers }: { readonly headers: Headers }) => ({
  recipe: headers.get("x-rtr-selected-recipe"),
  decision: headers.get("x-rtr-selected-decision"),
  model: headers.get("x-rtr-selected-model"),
})

describe("a request", () => {
  test("is routed by the recipe of its virtual model, whose rules have the names of others", async () => {
    const { ask, records } = await watchedKernel({ changes: twoProfiles })
    const answers = {
      "urgent, automatic": selected(await ask("an urgent matter")),
      "passport, automatic": selected(await ask("my passport")),
      "urgent, private": selected(await ask("an urgent matter", { model: "acme/private" })),
      "passport, private": selected(await ask("my passport", { model: "acme/p" })),
      "urgent, main": selected(await ask("an urgent matter", { model: "acme/main" })),
      "urgent, large": selected(await ask("an urgent matter", { model: "large" })),
    }
    expect(answers).toEqual({
      "urgent, automatic": { recipe: "default", decision: "rush", model: "large" },
      "passport, automatic": { recipe: "default", decision: null, model: "small" },
      "urgent, private": { recipe: "private", decision: null, model: "small" },
      "passport, private": { recipe: "private", decision: "rush", model: "small" },
      "urgent, main": { recipe: "default", decision: "rush", model: "large" },
      "urgent, large": { recipe: null, decision: null, model: "large" },
    })
    expect(records.map(({ recipe, automatic }) => [recipe, automatic])).toEqual([
      ["default", true],
      ["default", true],
      ["private", true],
      ["private", true],
      ["default", true],
      [undefined, false],
    ])
    expect(requestLine(records[3] as never)).toContain('"recipe":"private","decision":"rush"')
    expect(requestLine(records[5] as never)).not.toContain('"recipe"')
    expect(requestLine(records[3] as never, { format: "text" })).toContain("acme/p → private → rush → small")
  })

  test("tells with debug headers what the signals of its recipe said, though the default one has others", async () => {
    const signals = { context: [{ name: "long", min_tokens: 1 }], keywords: keyword("passport") }
    const conditions = [
      { type: "context", name: "long" },
      { type: "keyword", name: "urgent" },
    ]
    const { ask } = await watchedKernel({
      changes: {
        recipes: [
          {
            name: "private",
            routing: { signals, decisions: [rush("small", { rules: { operator: "AND", conditions } })] },
          },
        ],
        entrypoints: [{ model_names: ["acme/private"], recipe: "private" }],
      },
    })
    const toldOf = async (text: string, model: string) => {
      const { headers } = await ask(text, { model }, { "x-rtr-debug": "true" })
      return ["context", "keywords"].map((name) => headers.get(`x-rtr-matched-${name}`))
    }
    expect(await toldOf("my passport", "acme/private")).toEqual(["long", "urgent"])
    expect(await toldOf("hello", "acme/private")).toEqual(["long", null])
    expect(await toldOf("urgent", "MoM")).toEqual([null, "urgent"])
  })

  test("of a document without recipes has none", async () => {
    const { ask, records } = await watchedKernel()
    const { headers } = await ask("an urgent matter")
    expect([headers.get("x-rtr-selected-recipe"), headers.get("x-vsr-selected-recipe"), records[0]?.recipe]).toEqual([
      null,
      null,
      undefined,
    ])
  })

  test("needs a grant of one of the names of its recipe", async () => {
    const { ask } = await watchedKernel({ changes: { ...twoProfiles, "listeners.0.models": ["acme/private"] } })
    const statuses = []
    for (const model of ["acme/private", "acme/p", "acme/main", "MoM", "large"])
      statuses.push([model, (await ask("hello", { model })).status])
    expect(statuses).toEqual([
      ["acme/private", 200],
      ["acme/p", 200],
      ["acme/main", 403],
      ["MoM", 403],
      ["large", 403],
    ])
    const { ask: askMain } = await watchedKernel({ changes: { ...twoProfiles, "listeners.0.models": ["MoM"] } })
    expect((await askMain("hello", { model: "acme/private" })).status).toBe(403)
    expect((await askMain("hello", { model: "acme/main" })).status).toBe(200)
  })

  test("goes by the recipe of the name default, which replaces routing, and by the strategy of the document", async () => {
    const always = (name: string, priority: number, model: string) => ({ name, priority, modelRefs: [{ model }] })
    const { ask } = await watchedKernel({
      changes: {
        routing: { strategy: "confidence" },
        recipes: [
          { name: "default", routing: { decisions: [always("all", 1, "small")] } },
          {
            name: "other",
            routing: {
              signals: { keywords: keyword("urgent") },
              // By confidence the rule wins, by priority the one that always matches, which has none.
              decisions: [rush("large"), always("all", 9, "small")],
            },
          },
        ],
        entrypoints: [{ model_names: ["acme/other"], recipe: "other" }],
      },
    })
    expect(selected(await ask("urgent"))).toEqual({ recipe: "default", decision: "all", model: "small" })
    expect(selected(await ask("urgent", { model: "acme/other" }))).toEqual({
      recipe: "other",
      decision: "rush",
      model: "large",
    })
  })

  test("is tried again elsewhere where its recipe has a fallback", async () => {
    const transport = createFakeTransport(({ url }) =>
      url.includes("large") ? jsonReply({ error: { message: "down" } }, { status: 503 }) : jsonReply(completion("hi")),
    )
    const { ask } = await watchedKernel({
      transport,
      changes: {
        recipes: [
          {
            name: "safe",
            routing: {
              fallback: { enabled: true, models: ["small"] },
              decisions: [{ name: "all", modelRefs: [{ model: "large" }] }],
            },
          },
        ],
        entrypoints: [{ model_names: ["acme/safe"], recipe: "safe" }],
      },
    })
    expect((await ask("urgent", { model: "acme/safe" })).headers.get("x-rtr-attempts")).toContain("small")
    expect((await ask("urgent")).status).toBe(503)
  })
})

test("the model list has the virtual names with their recipes, and what a listener grants of them", async () => {
  const list = async (changes: object) => {
    const kernel = await createFakeKernel({ config: documentWith({ ...twoProfiles, ...changes }) })
    onTestFinished(() => kernel.close())
    const { data } = (await (await kernel.fetch(get("/v1/models"))).json()) as {
      data: { id: string; routing: { recipe?: string } }[]
    }
    return data.map(({ id, routing }) => [id, routing.recipe])
  }
  expect(await list({})).toEqual([
    ["MoM", "default"],
    ["auto", "default"],
    ["rtr/auto", "default"],
    ["acme/main", "default"],
    ["acme/private", "private"],
    ["acme/p", "private"],
    ["small", undefined],
    ["large", undefined],
  ])
  expect(await list({ "listeners.0.models": ["acme/p", "small"] })).toEqual([
    ["acme/p", "private"],
    ["small", undefined],
  ])
})

test("a preview goes by the recipe of the name that it asks for, or by the one that it names", async () => {
  const kernel = await createFakeKernel({ config: documentWith(twoProfiles) })
  onTestFinished(() => kernel.close())
  const look = async (body: object) => {
    const response = await kernel.management.fetch(post("/api/v1/routing/preview", { text: "my passport", ...body }))
    const { recipe, routing_decision: decision, error } = (await response.json()) as Record<string, unknown>
    return [response.status, recipe, decision, (error as { message?: string } | undefined)?.message]
  }
  expect(await look({})).toEqual([200, "default", "", undefined])
  expect(await look({ model: "acme/p" })).toEqual([200, "private", "rush", undefined])
  expect(await look({ recipe: "private" })).toEqual([200, "private", "rush", undefined])
  expect(await look({ recipe: "unused" })).toEqual([200, "unused", "", undefined])
  expect(await look({ recipe: "nobody" })).toEqual([
    404,
    undefined,
    undefined,
    'There is no recipe "nobody" in the active configuration',
  ])
})
