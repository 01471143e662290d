import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { stringify } from "yaml"
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
