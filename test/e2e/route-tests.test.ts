import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { stringify } from "yaml"
import { writeModules } from "./_modules.ts"
import { providersOn, runCommand, startRouter, temporaryFolder } from "./_processes.ts"

const routing = (words: readonly string[]) => ({
  signals: {
    keywords: [{ name: "urgent", operator: "OR", keywords: words }],
    language: [{ name: "de" }],
  },
  decisions: [
    { name: "rush", priority: 10, rules: { type: "keyword", name: "urgent" }, modelRefs: [{ model: "large" }] },
    { name: "german", rules: { type: "language", name: "de" }, modelRefs: [{ model: "small" }] },
  ],
})

/** Its key stands in a variable that is not set, and nothing listens at its backend: neither is needed to test routes. */
const documentWith = (words: readonly string[]) => ({
  version: "v0.3",
  providers: {
    defaults: { model: "small" },
    models: ["small", "large"].map((name) => ({
      name,
      backend_refs: [{ endpoint: "127.0.0.1:1", api_key_env: "RTR_TEST_KEY_THAT_IS_NOT_SET" }],
    })),
  },
  routing: routing(words),
  global: {
    services: { management_api: { auth: { mode: "bearer", tokens: [{ env: "RTR_TEST_TOKEN", role: "admin" }] } } },
  },
})

function write(folder: string, name: string, value: unknown): string {
  const file = join(folder, name)
  writeFileSync(file, typeof value === "string" ? value : stringify(value))
  return file
}

const tests = `# what must hold
tests:
  - { prompt: this is urgent, expect: { decision: rush, model: large } }
  - name: German
    prompt: Wie geht es dir heute, mein lieber Freund?
    expect:
      signals: { "language:de": match, "keyword:urgent": no_match }
  - { prompt: calm, expect: { decision: rush } } # not so
`

test("rtr route test compares prompts with a file, without a server, keys or backends", async () => {
  const folder = temporaryFolder()
  const config = write(folder, "config.yaml", documentWith(["urgent"]))
  const file = write(folder, "routes.yaml", tests)
  const junit = join(folder, "junit.xml")

  const failed = await runCommand("rtr", ["route", "test", file, "--config", config, "--junit", junit])
  expect(failed.code).toBe(1)
  expect(failed.stdout).toMatch(/✗ {2}calm .*decision: expected "rush", got none/)
  expect(failed.stdout).toContain("1 of 3 failed")
  expect(readFileSync(junit, "utf8")).toContain('tests="3" failures="1"')

  const updated = await runCommand("rtr", ["route", "test", file, "--config", config, "--update"])
  expect([updated.code, updated.stdout]).toEqual([0, `Wrote 1 expectations into ${file}\n`])
  expect(readFileSync(file, "utf8")).toContain("# what must hold")
  const passed = await runCommand("rtr", ["route", "test", file, "--config", config, "--json"])
  expect(passed.code).toBe(0)
  expect(JSON.parse(passed.stdout)).toMatchObject({
    tests: 3,
    failed: 0,
    results: [{ decision: "rush", model: "large" }, { name: "German" }, { decision: "", model: "small" }],
  })

  const broken = write(folder, "broken.yaml", { ...documentWith(["urgent"]), routing: { decisions: [{}] } })
  const refused = await runCommand("rtr", ["route", "test", file, "--config", broken])
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("routing.decisions[0].name")])
}, 60_000)

test("rtr route test asks a running router", async () => {
  const folder = temporaryFolder()
  const router = await startRouter({
    providers: providersOn("127.0.0.1:1", "small", "large"),
    routing: routing(["urgent"]),
  })
  const file = write(folder, "routes.yaml", tests.replace("{ decision: rush } } # not so", '{ decision: "" } }'))
  const { code, stdout } = await runCommand("rtr", ["route", "test", file, "--endpoint", router.management])
  expect([code, stdout]).toEqual([0, expect.stringContaining("3 passed")])
}, 60_000)

const slow = `import { defineSignal, Type } from "rtr"
export default defineSignal({
  about: "Matches late, or fails",
  rule: Type.Object({ fails: Type.Boolean() }),
  setup: (rules) => ({
    async read() {
      await new Promise((resolve) => setTimeout(resolve, 300))
      return rules.flatMap(({ name, fails }) => (fails ? [] : [{ rule: name, state: "match", confidence: 1 }]))
    },
  }),
})
`

test("rtr route test waits longer for signals than a request would, and says which could not be read", async () => {
  const folder = temporaryFolder()
  const condition = (name: string) => ({ type: "slow", name })
  const config = write(folder, "config.yaml", {
    ...documentWith([]),
    modules: [writeModules({ slow }).slow],
    routing: {
      signals: {
        slow: [
          { name: "late", fails: false },
          { name: "broken", fails: true },
        ],
      },
      decisions: [
        { name: "first", priority: 2, rules: condition("broken"), modelRefs: [{ model: "large" }] },
        { name: "second", priority: 1, rules: condition("late"), modelRefs: [{ model: "large" }] },
      ],
    },
    global: {
      model_catalog: { signal_timeout_ms: 10 },
      services: { api: { routing_preview: { request_timeout_seconds: 1 } } },
    },
  })
  const file = write(folder, "routes.yaml", {
    tests: [
      { prompt: "one", expect: { decision: "second", signals: { "slow:late": "match" } } },
      { prompt: "two", expect: { decision: "first" } },
    ],
  })
  const { stdout } = await runCommand("rtr", ["route", "test", file, "--config", config])
  expect(stdout).toMatch(/✓ {2}one/)
  expect(stdout).toMatch(/✗ {2}two .*expected "first", got "second"; unread: slow:broken \(failed\)/)
  const json = await runCommand("rtr", ["route", "test", file, "--config", config, "--json"])
  expect(JSON.parse(json.stdout)).toMatchObject({
    results: [{ passed: true, unread: { "slow:broken": "failed" } }, {}],
  })
}, 60_000)

test("rtr route compare asks recipes by their model names, and warns of one without decisions", async () => {
  const folder = temporaryFolder()
  const recipeDocument = (words: readonly string[]) => ({
    ...documentWith([]),
    routing: {},
    recipes: [{ name: "support", routing: routing(words) }],
    entrypoints: [{ model_names: ["acme/support"], recipe: "support" }],
    global: {
      model_catalog: { signal_timeout_ms: 1 },
      services: { api: { routing_preview: { request_timeout_seconds: 1 } } },
    },
  })
  const before = write(folder, "before.yaml", recipeDocument(["urgent"]))
  const after = write(folder, "after.yaml", recipeDocument(["urgent", "asap"]))
  const prompts = write(folder, "p.jsonl", '{"prompt":"come asap","model":"acme/support"}\n{"prompt":"asap"}\n')
  const compare = (...more: readonly string[]) =>
    runCommand("rtr", ["route", "compare", before, after, "--prompts", prompts, ...more])

  const named = await compare()
  expect(named.stdout).toMatch(
    /come asap +\(no decision\) → small +support::rush → large +keyword:urgent no_match → match/,
  )
  expect(named.stdout).toContain("1 of 2 prompts change")
  expect(named.stderr).toContain('recipe "default", which has no decisions; --model NAME')
  const all = await compare("--model", "acme/support", "--json")
  expect(JSON.parse(all.stdout)).toMatchObject({
    prompts: 2,
    changed: 2,
    changes: [{ after: { recipe: "support" } }, {}],
  })
  expect(all.stderr).not.toContain("no decisions")
}, 60_000)

test("rtr route compare shows which prompts another document sends elsewhere", async () => {
  const folder = temporaryFolder()
  const before = write(folder, "before.yaml", documentWith(["urgent"]))
  const after = write(folder, "after.yaml", documentWith(["calm"]))
  const prompts = write(folder, "prompts.txt", "this is urgent\nkeep calm\nneither\n")
  const compare = (...more: readonly string[]) =>
    runCommand("rtr", ["route", "compare", before, after, "--prompts", prompts, ...more])

  const { code, stdout } = await compare()
  expect(code).toBe(0)
  expect(stdout).toMatch(
    /this is urgent +rush → large +\(no decision\) → small +keyword:urgent match → no_match\n.*keep calm/,
  )
  expect(stdout).toContain("2 of 3 prompts change their route")
  expect((await compare("--check")).code).toBe(1)
  expect(JSON.parse((await compare("--json")).stdout)).toMatchObject({
    prompts: 3,
    changed: 2,
    changes: [
      { prompt: "this is urgent", before: { decision: "rush" }, after: { decision: "" } },
      { prompt: "keep calm" },
    ],
  })
}, 60_000)

/** Of two teams, one of which has a role; `words` are those that are urgent. */
const teamDocument = (words: readonly string[]) => ({
  ...documentWith(words),
  listeners: [
    {
      name: "test",
      address: "127.0.0.1",
      port: 0,
      api_keys: ["support", "search"].map((name) => ({ name, key: `sk-${name}` })),
    },
  ],
  routing: {
    signals: {
      keywords: [{ name: "urgent", operator: "OR", keywords: words }],
      role_bindings: [{ name: "desk", role: "desk", subjects: [{ kind: "Key", name: "support" }] }],
    },
    decisions: [
      {
        name: "desk-rush",
        rules: {
          operator: "AND",
          conditions: [
            { type: "authz", name: "desk" },
            { type: "keyword", name: "urgent" },
          ],
        },
        modelRefs: [{ model: "large" }],
      },
    ],
  },
})

test("rtr route compare lists prompts that neither document can route, which --check does not let pass", async () => {
  const folder = temporaryFolder()
  const before = write(folder, "before.yaml", teamDocument(["urgent"]))
  const after = write(folder, "after.yaml", teamDocument(["calm"]))
  const compare = (prompts: string, ...more: readonly string[]) =>
    runCommand("rtr", ["route", "compare", before, after, "--prompts", write(folder, "p.jsonl", prompts), ...more])
  const reason = "The router does not know for whom this request is: it needs user_id with the name of an API key"

  const refused = await compare('{"prompt":"hello"}\n{"prompt":"good day","user_id":"suport"}\n', "--check")
  expect(refused.code).toBe(1)
  expect(refused.stdout).toContain(`hello     ${reason}\n`)
  expect(refused.stdout).toContain(
    'good day  user_id "suport" is not the name of an API key of the document (did you mean "support"?)\n',
  )
  expect(refused.stdout).toContain("0 of 2 prompts change their route; neither document routes 2\n")

  const some = await compare('{"prompt":"urgent","user_id":"support"}\n{"prompt":"urgent"}\n', "--json")
  expect([some.code, JSON.parse(some.stdout)]).toEqual([
    0,
    {
      prompts: 2,
      changed: 1,
      refused: 1,
      changes: [
        {
          prompt: "urgent",
          before: expect.objectContaining({ decision: "desk-rush" }),
          after: expect.objectContaining({ decision: "" }),
        },
      ],
      refusals: [{ prompt: "urgent", before: reason, after: reason }],
    },
  ])

  const routed = await compare('{"prompt":"hello","user_id":"search"}\n', "--check")
  expect([routed.code, routed.stdout]).toEqual([0, "0 of 1 prompts change their route\n"])
}, 60_000)

test("rtr route test and rtr route preview say by their own names that a key is missing, or unknown", async () => {
  const folder = temporaryFolder()
  const config = write(folder, "config.yaml", teamDocument(["urgent"]))
  const file = write(folder, "routes.yaml", {
    tests: [
      { prompt: "urgent one", user_id: "support", expect: { decision: "desk-rush" } },
      { prompt: "urgent two", expect: { decision: "desk-rush" } },
      { prompt: "urgent three", user_id: "suport", expect: { decision: "" } },
    ],
  })
  const tested = await runCommand("rtr", ["route", "test", file, "--config", config])
  expect(tested.stdout).toMatch(/✓ {2}urgent one/)
  expect(tested.stdout).toMatch(/✗ {2}urgent two .*: it needs user_id with the name of an API key\n/)
  expect(tested.stdout).toMatch(/✗ {2}urgent three .*user_id "suport" is not .* \(did you mean "support"\?\)\n/)

  const router = await startRouter(
    { ...teamDocument(["urgent"]), global: {} },
    { RTR_TEST_KEY_THAT_IS_NOT_SET: "sk-backend" },
  )
  const preview = (...more: readonly string[]) =>
    runCommand("rtr", ["route", "preview", "urgent", "--endpoint", router.management, ...more])
  expect((await preview("--user-id", "support")).stdout).toContain("desk-rush")
  const without = await preview()
  expect([without.code, without.stderr]).toEqual([1, expect.stringContaining("it needs --user-id with the name")])
  const unknown = await preview("--user-id", "suport")
  expect([unknown.code, unknown.stderr]).toEqual([
    1,
    expect.stringContaining(
      '--user-id "suport" is not the name of an API key of the document (did you mean "support"?)',
    ),
  ])
}, 60_000)
