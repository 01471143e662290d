import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { nameOf, readRouteFile, requestOf } from "../../../ts/cli/route/route-cases.ts"
import { temporaryFolder } from "../../e2e/_processes.ts"

function write(name: string, text: string): string {
  const file = join(temporaryFolder(), name)
  writeFileSync(file, text)
  return file
}

describe("a file of route tests", () => {
  test("has prompts or messages, and what is expected", () => {
    const file = write(
      "routes.yaml",
      `tests:
  - { prompt: hello, expect: { decision: "", signals: { "keyword:a": no_match } } }
  - { prompt: whose, user_id: support }
  - { name: tools, messages: [{ role: user, content: hi }], tools: [{ type: function }], model: small }
`,
    )
    const { cases, document } = readRouteFile(file)
    expect(cases.map(nameOf)).toEqual(["hello", "whose", "tools"])
    expect(cases.map(requestOf)).toEqual([
      { text: "hello" },
      { text: "whose", preview_context: { user_id: "support" } },
      { messages: [{ role: "user", content: "hi" }], tools: [{ type: "function" }], model: "small" },
    ])
    expect(document).toBeDefined()
  })

  test.each([
    ["tests: []", "tests must not have fewer than 1 items"],
    ["tests: [{ prompt: a, expects: {} }]", "tests[0]"],
    ["tests: [{ prompt: a, messages: [1] }]", "tests[0] must have either prompt or messages"],
    ["tests: [{ prompt: a, expect: { signals: { k: yes } } }]", "tests[0].expect.signals.k"],
    ["tests: [", "Flow sequence"],
    ["hello", "the file"],
  ])("%s is refused with its place", (text, says) => {
    expect(() => readRouteFile(write("routes.yaml", text))).toThrow(says)
  })

  test("that is not there is refused by name", () => {
    expect(() => readRouteFile("/nowhere/routes.yaml")).toThrow("Cannot read /nowhere/routes.yaml")
  })
})

describe("a file of prompts", () => {
  test("has one in each line of text", () => {
    expect(readRouteFile(write("p.txt", "one\n\ntwo\r\n")).cases).toEqual([{ prompt: "one" }, { prompt: "two" }])
  })

  test("or of JSON: a text, or an object with prompt, text or messages", () => {
    const lines = [
      '"one"',
      '{"prompt":"two","id":7}',
      '{"text":"three","model":"acme/support"}',
      '{"messages":[{"role":"user"}],"tools":[{"type":"function"}]}',
      '{"prompt":"four","user_id":"support"}',
    ]
    expect(readRouteFile(write("p.jsonl", lines.join("\n"))).cases).toEqual([
      { prompt: "one" },
      { prompt: "two" },
      { prompt: "three", model: "acme/support" },
      { messages: [{ role: "user" }], tools: [{ type: "function" }] },
      { prompt: "four", user_id: "support" },
    ])
  })

  test.each([
    ["p.jsonl", '"ok"\n{', "p.jsonl:2: it is not valid JSON"],
    [
      "p.yaml",
      "tests: [{ prompt: a, expect: { decison: b, signals: { 'domain:law': yes } } }]",
      "tests[0].expect.decison is no key of a test; there are decision, model, refused, signals; tests[0].expect.signals.domain:law must be one of match, no_match, unknown",
    ],
    ["p.yaml", "tests: [{ promt: a }]", "tests[0].promt is no key of a test; there are name, prompt"],
    ["p.jsonl", "{}", "must be a text"],
    ["p.jsonl", '{"prompt":"a","model":7}', "p.jsonl:1: model must be a name"],
    ["p.jsonl", '{"prompt":"a","user_id":7}', "p.jsonl:1: user_id must be the name of an API key"],
    ["p.jsonl", '{"prompt":"a","tools":{}}', "p.jsonl:1: tools must be a list"],
    ["p.txt", "\n", "has no prompts"],
  ])("%s with %j is refused", (name, text, says) => {
    expect(() => readRouteFile(write(name, text))).toThrow(says)
  })
})
