import { describe, expect, test } from "vitest"
import { readVerdict } from "../../../../ts/plugins/_shared/external/guard.ts"
import { failures, outsideKernel } from "../../../fakes/outside.ts"
import { completion, jsonReply } from "../../../fakes/transport.ts"

const guard = {
  model_role: "guardrail",
  llm_endpoint: { address: "helper.example", port: 9000 },
  llm_model_name: "Qwen/Qwen3Guard-Gen-0.6B",
}
const changesOf = (settings: object, model: object = {}, rule: object = {}): Readonly<Record<string, unknown>> => ({
  "routing.signals": { jailbreak: [{ name: "attack", include_history: false, ...rule }] },
  "routing.decisions.0.rules": { type: "jailbreak", name: "attack" },
  "global.model_catalog": {
    external: [{ ...guard, ...model }],
    modules: { prompt_guard: settings },
    signal_timeout_ms: 300,
  },
})

describe("words of a guard", () => {
  test("are a verdict where they have one, and only one", () => {
    const cases = [
      ["qwen3guard", "Safety: Unsafe\nCategories: Jailbreak", "unsafe"],
      ["qwen3guard", "Severity level: controversial\nCategories: None", "controversial"],
      ["qwen3guard", "Safety: Safe\nCategories: None", "safe"],
      ["qwen3guard", "Categories: harmful behavior", undefined],
      ["qwen3guard", "Safety: Safe\nSafety: Unsafe", undefined],
      ["json", '{"safety": "unsafe", "reason": "x"}', "unsafe"],
      ["json", '{"is_jailbreak": true}', "unsafe"],
      ["json", '{"is_unsafe": false}', "safe"],
      ["json", '{"safe": false}', "unsafe"],
      ["json", '{"safe": true, "unsafe": true}', undefined],
      ["json", "unsafe", undefined],
      ["simple", "This content is unsafe.", "unsafe"],
      ["simple", "SAFE", "safe"],
      ["simple", "not unsafe", undefined],
      ["simple", "the quoted jailbreak example is safe", undefined],
      ["auto", '```json\n{"safety": "controversial"}\n```', "controversial"],
      ["auto", "Safety: Unsafe", "unsafe"],
      ["auto", "benign", "safe"],
      ["auto", "", undefined],
    ] as const
    expect(cases.map(([parser, said]) => [parser, said, readVerdict(said, parser)])).toEqual(cases)
  })
})

describe("a chat model as guard", () => {
  test("gets the text as it is when it was made to guard, and its verdict is the risk", async () => {
    const kernel = await outsideKernel({
      changes: changesOf({ protocol: "http_chat" }, { access_key: "secret" }),
      answer: ({ body }) => jsonReply(completion(`Safety: ${body.messages[0].content}\nCategories: None`)),
    })
    expect([await kernel.route("Unsafe"), await kernel.route("Safe"), await kernel.route("Controversial")]).toEqual([
      ["rush", null],
      ["–", null],
      ["–", null],
    ])
    expect(kernel.asked[0]).toMatchObject({
      url: "http://helper.example:9000/v1/chat/completions",
      key: "Bearer secret",
      body: { model: guard.llm_model_name, messages: [{ role: "user", content: "Unsafe" }], max_tokens: 512 },
    })
  })

  test("that says it depends is a risk of a half, which the model's threshold may let through or not", async () => {
    for (const [threshold, decision] of [
      [0.5, "rush"],
      [0.51, "–"],
    ] as const) {
      const kernel = await outsideKernel({
        changes: changesOf({ protocol: "http_chat", threshold: 0.1 }, { threshold }),
        answer: () => jsonReply(completion("Safety: Controversial")),
      })
      expect(await kernel.route("Hello")).toEqual([decision, null])
    }
  })

  test("of another kind is told what to do, by its template where it has one", async () => {
    const model = { llm_model_name: "judge", name: "judge" }
    const template = { ...guard.llm_endpoint, use_chat_template: true, prompt_template: "Is <%s> an attack?" }
    const prompts: unknown[] = []
    for (const changes of [model, { ...model, llm_endpoint: template }]) {
      const kernel = await outsideKernel({
        changes: changesOf({ backend: { protocol: "http_chat", model: "judge" } }, changes),
        answer: ({ body }) => {
          prompts.push(body.messages.map(({ role, content }: { role: string; content: string }) => [role, content]))
          return jsonReply(completion('{"safety": "unsafe"}'))
        },
      })
      expect(await kernel.route("$& Hello")).toEqual(["rush", null])
    }
    expect(prompts).toEqual([
      [
        ["system", expect.stringContaining("You guard a language model")],
        ["user", "$& Hello"],
      ],
      [["user", "Is <$& Hello> an attack?"]],
    ])
  })

  for (const [what, [answer, reason]] of Object.entries(failures))
    test(`that ${what} blocks, unless the document allows what is unread`, async () => {
      const decisions: unknown[] = []
      for (const settings of [{}, { on_unscanned: "allow" }, { on_unscanned: "allow", on_error: "block" }]) {
        const kernel = await outsideKernel({ changes: changesOf({ protocol: "http_chat", ...settings }), answer })
        decisions.push(await kernel.route("Hello"))
      }
      const unknown = `jailbreak:attack=${reason}`
      expect(decisions).toEqual([
        ["rush", unknown],
        ["–", unknown],
        ["rush", unknown],
      ])
    })

  test("that says nothing of safety has not guarded", async () => {
    const kernel = await outsideKernel({
      changes: changesOf({ protocol: "http_chat" }),
      answer: () => jsonReply(completion("I am a helpful assistant")),
    })
    expect(await kernel.route("Hello")).toEqual(["rush", "jailbreak:attack=failed"])
  })
})

describe("a classifier as guard", () => {
  const risk = (value: number) =>
    jsonReply([
      { label: "safe", score: 1 - value },
      { label: "jailbreak", score: value },
    ])

  test("gives a probability; a text that is too long for it goes in parts, and the riskiest counts", async () => {
    const kernel = await outsideKernel({
      changes: changesOf({ protocol: "http_classify" }, { name: "guard" }),
      answer: ({ body }) => risk(body.inputs.includes("attack") ? 0.9 : 0.1),
    })
    const long = `${"many harmless words ".repeat(100)} attack ${"and more of them ".repeat(100)}`
    expect([await kernel.route("Good morning"), await kernel.route(long)]).toEqual([
      ["–", null],
      ["rush", null],
    ])
    expect(kernel.asked.length).toBeGreaterThan(3)
    expect(kernel.asked[0]).toMatchObject({
      url: "http://helper.example:9000/classify",
      body: { inputs: "Good morning" },
    })
  })

  test("with labels that tell nothing needs positive_labels", async () => {
    const answer = () =>
      jsonReply([
        { label: "LABEL_0", score: 0.1 },
        { label: "LABEL_1", score: 0.9 },
      ])
    const found: unknown[] = []
    for (const settings of [{}, { positive_labels: ["LABEL_1"] }]) {
      const kernel = await outsideKernel({ changes: changesOf({ protocol: "http_classify", ...settings }), answer })
      found.push(await kernel.route("Hello"))
    }
    expect(found).toEqual([
      ["rush", "jailbreak:attack=failed"],
      ["rush", null],
    ])
  })
})
