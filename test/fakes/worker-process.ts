// A worker process without models, for tests of what starts and stops workers. Each model's folder says in `fake.json` how it behaves.

import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage } from "node:http"
import { join } from "node:path"
import { parseArgs } from "node:util"

/** Content of `fake.json`; without the file the model is ready at once and has no heads. */
export interface FakeModel {
  readonly status?: string
  readonly reason?: string
  readonly heads?: readonly object[]
  /** Ends at its start, as a process does that cannot read its package. */
  readonly ends?: boolean
}

interface ModelsEntry {
  readonly model: string
  readonly name: string
}

interface WireTask {
  readonly id: string
  readonly classify?: { readonly options: object }
}

const { values } = parseArgs({
  strict: false,
  options: { models: { type: "string" }, uds: { type: "string" } },
})
const entries = JSON.parse(readFileSync(String(values["models"]), "utf8")) as readonly ModelsEntry[]
// So that a test knows every process that there ever was, however it ended.
for (const { model } of entries) writeFileSync(join(model, `${process.pid}.pid`), "")
if (entries.some((entry) => behaviourOf(entry).ends === true)) process.exit(1)
process.stdin.on("end", () => process.exit()).resume()

// What a killed process has left there would be in the way.
rmSync(String(values["uds"]), { force: true })
createServer(async (request, response) => {
  const body = JSON.stringify(await answer(request))
  response.writeHead(200, { "content-type": "application/json" })
  response.end(body)
}).listen(String(values["uds"]))

async function answer(request: IncomingMessage): Promise<object> {
  for (const { model } of entries) writeFileSync(join(model, "asked.log"), `${request.url}\n`, { flag: "a" })
  if (request.url === "/health")
    return {
      models: entries.map((entry) => {
        const { status = "ready", reason } = behaviourOf(entry)
        return { id: entry.name, status, reason }
      }),
    }
  if (request.url === "/v1/models")
    return { data: entries.map((entry) => ({ id: entry.name, heads: behaviourOf(entry).heads ?? [] })) }
  const { tasks } = JSON.parse(await textOf(request)) as { tasks: readonly WireTask[] }
  return {
    results: tasks.map(({ id, classify }) => ({
      id,
      status: 200,
      // The labels say who answered, and how the text was to be read.
      classify: {
        labels: [String(process.pid), JSON.stringify(classify?.options)],
        results: [{ probabilities: [1, 0] }],
      },
    })),
  }
}

function behaviourOf({ model }: ModelsEntry): FakeModel {
  try {
    return JSON.parse(readFileSync(join(model, "fake.json"), "utf8")) as FakeModel
  } catch {
    return {}
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ""
  for await (const piece of request) text += String(piece)
  return text
}
