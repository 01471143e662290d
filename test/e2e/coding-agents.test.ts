// Coding agents do their work through the router, unchanged, whatever protocol the backend speaks.
// Needs a gigabyte of downloads: RTR_AGENTS names the folder for them, outside the repository.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { beforeEach, describe, expect, test } from "vitest"
import { farewell, protocols, startScriptedBackend } from "./_agent-backends.ts"
import { startTap } from "./_agent-tap.ts"
import { agents, installAgents, runAgent, task } from "./_coding-agents.ts"
import { startRouter, temporaryFolder } from "./_processes.ts"

const cache = process.env["RTR_AGENTS"]
type AgentName = keyof typeof agents
type ProtocolName = keyof typeof protocols

/** The agent works in a folder with the file, through the router, on a scripted backend. */
async function work(agentName: AgentName, protocolName: ProtocolName, routing: object = {}) {
  await installAgents(cache as string)
  const [home, folder] = ["home", "folder"].map((name) => join(temporaryFolder(), name)) as [string, string]
  for (const each of [home, folder]) mkdirSync(each)
  const file = join(folder, task.file)
  writeFileSync(file, task.before)
  const agent = agents[agentName]
  const tap = await startTap()
  const calls = agent.calls(file)
  const backend = await startScriptedBackend(protocols[protocolName], { calls, clientHas: tap.has })
  const router = await startRouter({
    // The pages' key, so that one which an agent does not send fails.
    listeners: [{ name: "test", address: "127.0.0.1", port: 0, api_keys: [{ name: "agent", key: "unused" }] }],
    providers: { defaults: { model: "small" }, models: [{ name: "small", ...protocols[protocolName].model(backend) }] },
    routing,
  })
  tap.leadTo(router.url)
  const ended = await runAgent(agentName, { cache: cache as string, home, folder, router: tap.url })
  return { ended, tap, backend, router, calls, text: readFileSync(file, "utf8") }
}

const pairs = Object.keys(agents).flatMap((agent) =>
  Object.keys(protocols).map((protocol) => [agent as AgentName, protocol as ProtocolName] as const),
)

/** The task is done, and the backend has seen every call and result of it. */
function expectDone({ ended, tap, backend, calls, text }: Awaited<ReturnType<typeof work>>): void {
  expect(tap.failures).toEqual([])
  expect(ended).toEqual({ code: 0, output: expect.stringContaining(farewell.join("")) as unknown })
  expect(text).toBe(task.after)
  const { calls: seen, results } = backend.progress()
  expect(seen).toMatchObject(calls)
  expect(results.map(({ id }) => id)).toEqual(seen.map(({ id }) => id))
  expect(results[0]?.text).toContain(task.before.trim())
  expect(results[2]?.text).toMatch(/\b1 notes\.txt/)
}

const timeout = 300_000

describe("coding agents", () => {
  beforeEach(({ skip }) =>
    skip(cache === undefined, "set RTR_AGENTS to a folder; the agents are downloaded into it, 1 GB"),
  )

  test.for(pairs)("%s works on a backend of %s", { timeout }, async ([agent, protocol]) => {
    const done = await work(agent, protocol)
    expectDone(done)
    const { requests } = done.backend
    const { sealed, results } = done.backend.progress()
    // Requests for a backend of the same protocol pass as they are, but for the model.
    const passed = agents[agent].speaks === protocol ? requests : []
    expect(passed.map(({ body }) => body)).toEqual(
      done.tap.requests.slice(0, passed.length).map(({ body }) => ({ ...(body as object), model: "small" })),
    )
    // Chat completions have no seals of thoughts.
    const keepsSeals = agent !== "opencode" && protocol !== "chat completions"
    expect(sealed).toEqual(keepsSeals ? results.map((_, index) => `sealed+turn${index}==`) : [])
  })

  // The embedded guard takes sentences of the agents' own prompts for attacks, so it reads the user's message alone. Claude
  // Code is left out: it writes such sentences into that message too.
  test.for(["codex", "opencode"] as const)(
    "%s works behind a guard of the user's message",
    { timeout },
    async (agent) => {
      const done = await work(agent, "chat completions", {
        signals: { jailbreak: [{ name: "attack", include_history: false, on_unscanned: "allow" }] },
        decisions: [
          {
            name: "guard",
            priority: 100,
            rules: { type: "jailbreak", name: "attack" },
            plugins: [{ type: "fast_response", configuration: { message: "I cannot help with that." } }],
          },
        ],
      })
      expectDone(done)
    },
  )
})
