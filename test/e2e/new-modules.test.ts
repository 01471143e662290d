// Adds a module of each kind to a copy of this checkout, with one source file, one test and `npm run gen`, and puts all to work.

import { spawnSync, type SpawnSyncReturns } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import type { ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { moduleKinds } from "../../ts/kernel/modules/kinds.ts"
import { dataOf, textOfEvents } from "../fakes/event-stream.ts"
import { answerPolitely, replyOf, startRouter, startTestBackend, temporaryFolder, userMessage } from "./_processes.ts"

const root = join(import.meta.dirname, "../..")
const fixtures = join(import.meta.dirname, "fixtures/new-modules")

/** What `npm run gen` writes. */
const generated = [
  "docs/reference.md",
  "plugins-manifest.json",
  "ts/cli/management-client.gen.ts",
  "ts/plugins/registry.gen.ts",
]
/** Large folders that no module changes. */
const linked = ["models", "crates"]
/** Folders that git ignores and in which scripts write: their entries are linked one by one. */
const ignored = ["node_modules", "native"]

/** `folder/id` of each new module. */
const added = readdirSync(fixtures)
  .flatMap((folder) => readdirSync(join(fixtures, folder)).map((file) => `${folder}/${file}`))
  .filter((file) => !file.endsWith(".test.ts"))
  .map((file) => file.replace(/\.ts$/, ""))

test("there is one new module of each kind", () => {
  expect(added.map((path) => dirname(path))).toEqual(
    Object.values(moduleKinds)
      .map(({ folder }) => folder)
      .toSorted(),
  )
})

/** Compilers and test runners start here; a busy machine takes its time. */
const timeout = 120_000

describe("added to a checkout", { timeout }, () => {
  let checkout = ""

  const run = (command: string, ...args: readonly string[]): SpawnSyncReturns<string> =>
    spawnSync(command, args, { cwd: checkout, encoding: "utf8", env: environment(), maxBuffer: 64 * 1024 * 1024 })
  const succeed = (command: string, ...args: readonly string[]): string => {
    const { status, stdout, stderr } = run(command, ...args)
    expect(status, `${command} ${args.join(" ")}\n${stdout}${stderr}`).toBe(0)
    return stdout
  }
  const node = (...args: readonly string[]): string => succeed(process.execPath, ...args)
  const git = (...args: readonly string[]): string =>
    succeed("git", "-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false", ...args)

  beforeAll(() => {
    checkout = copyCheckout()
    node("scripts/prepare.js")
    node("scripts/gen-manifest.ts")
    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--no-verify", "-m", "before")
    for (const path of added) {
      copy(`${path}.ts`, `ts/plugins/${path}.ts`, (text) => text.replaceAll('"rtr"', '"../../kernel/index.ts"'))
      copy(`${path}.test.ts`, `test/plugins/${path}.test.ts`, (text) =>
        text.replaceAll(/"\.\/([\w-]+\.ts)"/g, `"../../../ts/plugins/${dirname(path)}/$1"`),
      )
    }
    node("scripts/gen-manifest.ts")
  }, timeout)
  afterAll(() => rmSync(checkout, { recursive: true, force: true }))

  /** The two lines that differ between a module outside of the repository and one in it. */
  function copy(from: string, to: string, change: (text: string) => string): void {
    writeFileSync(join(checkout, to), change(readFileSync(join(fixtures, from), "utf8")))
  }

  test("they change nothing but what is generated", () => {
    const changes = git("status", "--porcelain", "--untracked-files=all").split("\n").filter(Boolean)
    const files = added.flatMap((path) => [`?? test/plugins/${path}.test.ts`, `?? ts/plugins/${path}.ts`])
    expect(changes.toSorted()).toEqual([...generated.map((file) => ` M ${file}`), ...files].toSorted())
  })

  test("they type-check", () => {
    const { stdout } = run(process.execPath, "node_modules/typescript/bin/tsc", "-p", ".")
    const own = [...generated, ...added]
    expect(stdout.split("\n").filter((line) => own.some((path) => line.includes(path)))).toEqual([])
  })

  test("they keep the contract of their kind and the shape of the source", () => {
    const files = added.map((path) => `test/plugins/${path}.test.ts`)
    node("node_modules/vitest/vitest.mjs", "run", ...files, "test/shape.test.ts")
  })

  test("they can be imported by name", () => {
    node("scripts/prepare.js")
    const kinds = added.map((path) => `(await import("rtr/plugins/${path}")).default.kind`)
    const printed = node("--input-type=module", "--eval", `console.log(JSON.stringify([${kinds.join()}]))`)
    expect((JSON.parse(printed) as string[]).toSorted()).toEqual(Object.keys(moduleKinds).toSorted())
  })

  test("they serve", () => expectToServe({ checkout }))
})

test("outside of the repository the same files serve", { timeout }, () =>
  expectToServe({ modules: added.map((path) => join(fixtures, `${path}.ts`)) }),
)

/** Starts a router whose document uses all eight, and asks it so that each of them shows. */
async function expectToServe({
  checkout,
  modules,
}: {
  readonly checkout?: string
  readonly modules?: readonly string[]
}) {
  const journal = join(temporaryFolder(), "journal.jsonl")
  const backend = await startTestBackend((body, response) =>
    body["stream"] === true
      ? answerPolitely(body, response)
      : void response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify(replyOf(String(body["model"]), `answer of ${String(body["model"])}`))),
  )
  const lines = await startTestBackend(answerInLines)
  const both = [{ model: "small" }, { model: "large" }]
  const router = await startRouter(
    {
      ...(modules !== undefined && { modules }),
      global: { stores: { state: { type: "journal", configuration: { file: journal } } } },
      providers: {
        defaults: { model: "small" },
        models: [
          ...["small", "large"].map((name) => ({ name, backend_refs: [{ endpoint: backend.endpoint }] })),
          {
            name: "liner",
            provider_model_id: "liner-1",
            backend_refs: [{ base_url: `${lines.url}/lines`, provider: "jsonl-server", api_key: "secret" }],
          },
        ],
      },
      routing: {
        signals: {
          wants_picture: [{ name: "picture", min_probability: 0.5 }],
          keywords: ["loud", "better"].map((word) => ({ name: word, operator: "OR", keywords: [word] })),
        },
        decisions: [
          {
            name: "loud",
            priority: 3,
            rules: { type: "keyword", name: "loud" },
            modelRefs: [{ model: "small" }],
            plugins: [{ type: "upper_case", configuration: {} }],
          },
          {
            name: "better",
            priority: 2,
            rules: { type: "keyword", name: "better" },
            modelRefs: both,
            algorithm: { type: "second_opinion", second_opinion: { instruction: "Once more." } },
          },
          {
            name: "pictures",
            priority: 1,
            rules: { type: "wants_picture", name: "picture" },
            modelRefs: both,
            algorithm: { type: "take_turns" },
          },
        ],
      },
    },
    {},
    [],
    checkout,
  )
  const ask = async (text: string, extra: object = {}): Promise<Reply> => {
    const response = await router.ask(userMessage(text, extra))
    return { decision: response.headers.get("x-rtr-selected-decision"), text: await response.text() }
  }

  // The signal's model says what is an order for a picture, the selector counts its turns in the store.
  const picture = "Draw a picture of a red cat on a roof"
  const turns = [await ask(picture), await ask(picture), await ask(picture)]
  expect(turns.map(contentOf)).toEqual(["answer of small", "answer of large", "answer of small"])
  expect(turns.map(({ decision }) => decision)).toEqual(["pictures", "pictures", "pictures"])
  expect((await ask("What is the capital of France?")).decision).not.toBe("pictures")
  expect(
    readFileSync(journal, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([1, 2, 3].map((value) => ({ name: "selector:take_turns", key: "pictures", value })))

  // The looper: the second candidate answers, and was told what the first one said.
  backend.requests.length = 0
  expect(contentOf(await ask("a better word"))).toBe("answer of large")
  expect(backend.requests.map(({ body }) => body["model"])).toEqual(["small", "large"])
  expect(backend.requests[1]?.body["messages"]).toEqual([
    { role: "user", content: "a better word" },
    { role: "assistant", content: "answer of small" },
    { role: "user", content: "Once more." },
  ])

  // The plugin, on events and on a whole reply.
  expect(textOfEvents(dataOf((await ask("loud", { stream: true })).text))).toBe("ONE TWO THREE FOUR")
  expect(contentOf(await ask("loud"))).toBe("ANSWER OF SMALL")

  // The provider's URL and headers, and the dialect there and back.
  expect(contentOf(await ask("hello", { model: "liner" }))).toBe("hello back")
  expect(textOfEvents(dataOf((await ask("hello", { model: "liner", stream: true })).text))).toBe("hello back")
  expect(lines.requests.map(({ path, headers }) => [path, headers["x-key"], headers.accept])).toEqual([
    ["/lines/chat", "secret", "application/json"],
    ["/lines/chat", "secret", "application/jsonl"],
  ])
  expect(lines.requests[0]?.body).toMatchObject({
    model: "liner-1",
    turns: [{ role: "user", blocks: [{ type: "text", text: "hello" }] }],
  })
  const refused = await router.ask(userMessage("too much", { model: "liner" }))
  expect([refused.status, await refused.json()]).toMatchObject([429, { error: { message: "come back later" } }])

  // The route, and where it is listed.
  const greet = (body: object): Promise<Response> =>
    fetch(`${router.management}/api/v1/greetings`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    })
  expect(await (await greet({ name: "Ada", times: 2 })).json()).toEqual({ greeting: "Hello, Ada! Hello, Ada!" })
  const wrong = await greet({ times: 9, loudly: true })
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringMatching(/name.*times|times.*name/s)])
  const openApi = (await (await fetch(`${router.management}/openapi.json`)).json()) as { paths: Record<string, object> }
  expect(openApi.paths["/api/v1/greetings"]).toMatchObject({ post: { operationId: expect.any(String) } })
  expect(await (await fetch(`${router.management}/api/v1?view=operations`)).text()).toContain("/api/v1/greetings")

  expect(await router.stop()).toBe(0)
}

interface Reply {
  readonly decision: string | null
  readonly text: string
}

function contentOf({ text }: Reply): unknown {
  return (JSON.parse(text) as { choices?: { message: { content: unknown } }[] }).choices?.[0]?.message.content ?? text
}

/** A backend that speaks the new dialect: the first text and a word of its own. */
function answerInLines(body: Record<string, unknown>, response: ServerResponse): void {
  const [turn] = body["turns"] as { blocks: { text: string }[] }[]
  const text = turn?.blocks[0]?.text
  if (text === "too much") {
    response.writeHead(429, { "content-type": "application/json" })
    response.end(JSON.stringify({ error: { message: "come back later" } }))
    return
  }
  const head = { id: "1", model: "liner-1", created: 1 }
  const usage = { inputTokens: 1, outputTokens: 2, cachedInputTokens: 0 }
  if (body["stream"] !== true) {
    response.writeHead(200, { "content-type": "application/json" })
    const choices = [{ blocks: [{ type: "text", text: `${text} back` }], stop: "stop" }]
    response.end(JSON.stringify({ ...head, choices, usage }))
    return
  }
  const events = [
    { type: "start", ...head },
    { type: "block_start", choice: 0, index: 0, block: { type: "text" } },
    { type: "block_delta", choice: 0, index: 0, text },
    { type: "block_delta", choice: 0, index: 0, text: " back" },
    { type: "block_end", choice: 0, index: 0 },
    { type: "stop", choice: 0, reason: "stop" },
    { type: "usage", usage },
    { type: "end" },
  ]
  response.writeHead(200, { "content-type": "application/jsonl" })
  response.end(events.map((event) => `${JSON.stringify(event)}\n`).join(""))
}

/** A copy of this checkout with what is not committed yet. */
function copyCheckout(): string {
  const checkout = mkdtempSync(join(tmpdir(), "rtr-checkout-"))
  const list = spawnSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root })
  const files = list.stdout
    .toString()
    .split("\0")
    .filter((file) => file !== "" && !linked.includes(file.split("/")[0] ?? ""))
  for (const file of files) {
    mkdirSync(dirname(join(checkout, file)), { recursive: true })
    cpSync(join(root, file), join(checkout, file))
  }
  for (const folder of linked) symlinkSync(join(root, folder), join(checkout, folder))
  for (const folder of ignored) {
    mkdirSync(join(checkout, folder))
    for (const name of readdirSync(join(root, folder)).filter((each) => !each.startsWith(".")))
      symlinkSync(join(root, folder, name), join(checkout, folder, name))
  }
  return checkout
}

/** The environment without what this test runner says to its own workers. */
function environment(): NodeJS.ProcessEnv {
  const rest = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|NODE_ENV|TEST$|DEV$|PROD$|SSR$|MODE$)/.test(name),
  )
  return { ...Object.fromEntries(rest), NO_COLOR: "1" }
}
