// A real MCP server, written from the protocol alone: a classifier by keywords, over its standard streams or, with a port, over HTTP.
// It speaks the revision of 2025, line by line or as plain JSON replies.

import { createServer } from "node:http"
import { createInterface } from "node:readline"

type Json = Readonly<Record<string, unknown>>

const categories = ["math", "science", "technology", "history", "general"]
const words: readonly (readonly [category: string, pattern: RegExp])[] = [
  ["math", /equation|integral|sum of|derivative/i],
  ["science", /photosynthesis|atom|gravity/i],
  ["technology", /python|kubernetes|compiler/i],
  ["history", /empire|war|revolution/i],
]

function classify(text: string): Json {
  const mode = process.env["MCP_MODE"] ?? ""
  if (mode === "exit" || text === "Crash") process.exit(1)
  const found = words.find(([, pattern]) => pattern.test(text))?.[0] ?? "general"
  const place = mode === "wrong" ? 99 : categories.indexOf(found)
  if (mode === "probabilities")
    return { class: place, confidence: 0.9, probabilities: categories.map((each) => (each === found ? 0.9 : 0.025)) }
  return { class: place, confidence: mode === "unsure" ? 0.3 : 0.9, model: "ignored", use_reasoning: true }
}

const parameters = process.env["MCP_MODE"] === "probabilities" ? { with_probabilities: { type: "boolean" } } : {}
const tools = [
  { name: "list_categories", inputSchema: { type: "object" } },
  {
    name: "classify_text",
    inputSchema: { type: "object", properties: { text: { type: "string" }, ...parameters }, required: ["text"] },
  },
]

/** The reply to a message; undefined for a notification, and for a call that hangs. */
function reply({ id, method, params = {} }: { id?: unknown; method?: string; params?: Json }): Json | undefined {
  const result = (value: Json): Json => ({ jsonrpc: "2.0", id, result: value })
  const text = (value: Json): Json => result({ content: [{ type: "text", text: JSON.stringify(value) }] })
  switch (method) {
    case "initialize":
      return result({
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
        serverInfo: { name: "keywords", version: "1" },
      })
    case "tools/list":
      return result({ tools })
    case "tools/call":
      if (params["name"] === "list_categories") return text({ categories, secret: process.env["SECRET_OF_ROUTER"] })
      if (process.env["MCP_MODE"] === "hang") return undefined
      return text(classify(String((params["arguments"] as Json)["text"])))
    default:
      return id === undefined ? undefined : { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } }
  }
}

const [port] = process.argv.slice(2)
if (port === undefined)
  createInterface({ input: process.stdin }).on("line", (line) => {
    const answer = reply(JSON.parse(line) as Json)
    if (answer !== undefined) process.stdout.write(`${JSON.stringify(answer)}\n`)
  })
else
  createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on("data", (piece: Buffer) => pieces.push(piece))
    request.on("end", () => {
      const answer = request.method === "POST" ? reply(JSON.parse(Buffer.concat(pieces).toString()) as Json) : undefined
      if (answer === undefined) response.writeHead(request.method === "POST" ? 202 : 405).end()
      else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer))
    })
  }).listen(Number(port), "127.0.0.1", function (this: { address(): { port: number } }) {
    process.stdout.write(`${this.address().port}\n`)
  } as () => void)
