// Against a real server: a process of its own, over its standard streams and over HTTP.

import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { documentWith, problemsOf } from "../../../fakes/document.ts"
import { type WatchedKernel, watchedKernel } from "../../../fakes/watched-kernel.ts"

const server = join(import.meta.dirname, "../../../fakes/mcp-server.ts")
const local = { enabled: true, transport_type: "stdio", command: process.execPath, args: [server] }

async function overHttp(): Promise<object> {
  const child = spawn(process.execPath, [server, "0"], { stdio: ["ignore", "pipe", "ignore"] })
  onTestFinished(() => void child.kill())
  const [port] = (await once(child.stdout, "data")) as [Buffer]
  return {
    enabled: true,
    transport_type: "streamable-http",
    url: `http://127.0.0.1:${String(port).trim()}/mcp`,
    tool_name: "classify_text",
  }
}

/** The decisions and domains of a routing by subject, where the server tells the subject. */
const domains = [
  { name: "math", mmlu_categories: ["math"] },
  { name: "science", mmlu_categories: ["physics", "chemistry", "biology"] },
  { name: "technology", mmlu_categories: ["computer science"] },
  { name: "history", mmlu_categories: ["history"] },
  { name: "general", mmlu_categories: ["other"] },
]
const decisions = domains.map(({ name }) => ({
  name: `${name}_decision`,
  rules: { operator: "AND", conditions: [{ type: "domain", name }] },
  modelRefs: [{ model: "large" }],
}))
const changesOf = (mcp: object, more: object = {}): Readonly<Record<string, unknown>> => ({
  "routing.signals": { domains },
  "routing.decisions": decisions,
  "global.model_catalog": { modules: { classifier: { mcp, domain: { enabled: true, threshold: 0.99 } } }, ...more },
})

async function route(kernel: WatchedKernel, text: string): Promise<readonly [string | null, string | null]> {
  const { headers } = await kernel.ask(text)
  return [headers.get("x-rtr-selected-decision"), headers.get("x-rtr-unknown-signals")]
}

/** Prompts and the categories that the server sees in them. */
const cases = [
  ["Solve the equation 2x + 5 = 15 for x", "math"],
  ["What is the integral of sin(x)?", "math"],
  ["What is the process of photosynthesis in plants?", "science"],
  ["How heavy is an atom of gold?", "science"],
  ["Write a Python function to reverse a string", "technology"],
  ["Deploy it on Kubernetes", "technology"],
  ["When did World War II end?", "history"],
  ["Why did the Roman empire fall?", "history"],
  ["Tell me about it", "general"],
  ["Good morning", "general"],
] as const

describe("an MCP server tells the subject of every prompt", () => {
  test.each([
    ["as a process", async () => local],
    ["as a process that gives all probabilities", async () => ({ ...local, env: { MCP_MODE: "probabilities" } })],
    ["over HTTP", overHttp],
  ])("%s", async (_, settings) => {
    const kernel = await watchedKernel({ changes: changesOf(await settings()) })
    const found = []
    for (const [prompt] of cases) found.push([prompt, ...(await route(kernel, prompt))])
    expect(found).toEqual(cases.map(([prompt, category]) => [prompt, `${category}_decision`, null]))
  })
})

describe("a server that does not answer as it should leaves the subject unknown", () => {
  const all = (reason: string): string => domains.map(({ name }) => `domain:${name}=${reason}`).join(",")

  test.each([
    ["hangs", { ...local, env: { MCP_MODE: "hang" } }, "timeout"],
    ["names a class that it does not have", { ...local, env: { MCP_MODE: "wrong" } }, "failed"],
    ["ends in the middle", { ...local, env: { MCP_MODE: "exit" } }, "unavailable"],
    ["does not start", { ...local, command: "/no/such/program" }, "unavailable"],
    ["is not there", { enabled: true, url: "http://127.0.0.1:9/mcp" }, "unavailable"],
    ["has no such tool", { ...local, tool_name: "judge" }, "rejected"],
  ])("one that %s", async (_, settings, reason) => {
    const kernel = await watchedKernel({ changes: changesOf(settings, { signal_timeout_ms: 1500 }) })
    expect(await route(kernel, "Solve the equation")).toEqual([null, all(reason)])
  })

  test("one that is unsure matches nothing, by its own threshold", async () => {
    const unsure = { ...local, env: { MCP_MODE: "unsure" } }
    const decisionOf = async (settings: object) =>
      (await route(await watchedKernel({ changes: changesOf(settings) }), "Solve the equation"))[0]
    expect([await decisionOf(unsure), await decisionOf({ ...unsure, threshold: 0.25 })]).toEqual([
      null,
      "math_decision",
    ])
  })
})

test("a process that ended is started again for the next question", async () => {
  const kernel = await watchedKernel({ changes: changesOf(local, { signal_timeout_ms: 1500 }) })
  const found = [await route(kernel, "Crash"), await route(kernel, "Solve the equation")]
  expect(found.map(([decision]) => decision)).toEqual([null, "math_decision"])
})

test("mistakes are told at their place", () => {
  const wrong = (mcp: object) => problemsOf(documentWith(changesOf({ enabled: true, ...mcp }) as never))
  const at = "global.model_catalog.modules.classifier.mcp"
  expect([
    ...wrong({ transport_type: "stdio", url: "http://h/mcp" }).filter((each) => each.startsWith(at)),
    ...wrong({ transport_type: "streamable-http" }).filter((each) => each.startsWith(at)),
    ...wrong({ url: "h/mcp" }).filter((each) => each.startsWith(at)),
  ]).toEqual([
    `${at}.command: is missing; transport_type stdio needs it`,
    `${at}.url: is missing; transport_type streamable-http needs it`,
    `${at}.url: must be an http or https URL without credentials, query and spaces`,
  ])
})
