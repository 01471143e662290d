// The scripted backend of the soak, in its own process: POST answers as the `user` key of the request says, GET tells what came.

import { createServer, type ServerResponse } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import type { BackendCounts, Script } from "./script.ts"

const times = new Map<string, number>()
const counts = { requests: 0, twice: 0 }

const server = createServer((request, response) => {
  response.on("error", () => {})
  if (request.method === "GET") return void response.end(JSON.stringify(counts satisfies BackendCounts))
  const pieces: Buffer[] = []
  request.on("data", (piece: Buffer) => pieces.push(piece))
  request.on("error", () => {})
  request.on("end", () => {
    const body = JSON.parse(Buffer.concat(pieces).toString()) as { readonly user?: string; readonly stream?: boolean }
    const script = JSON.parse(body.user ?? "{}") as Script
    notice(script)
    void answer(script, body.stream === true, response)
  })
})
server.keepAliveTimeout = 600_000
server.listen(Number(process.argv[2]), "127.0.0.1")

function notice({ id }: Script): void {
  counts.requests += 1
  if (id === undefined) return
  const time = (times.get(id) ?? 0) + 1
  times.set(id, time)
  if (time > 1) counts.twice += 1
  // Hours of ids would make this process grow; a second request comes soon after the first or never.
  if (times.size > 10_000) times.delete(times.keys().next().value as string)
}

async function answer(script: Script, streamed: boolean, response: ServerResponse): Promise<void> {
  const { id = "somebody", fault, events = 5, pauseMs = 0, eventBytes = 8 } = script
  if (fault === "status") return void response.writeHead(500).end('{"error":{"message":"broken"}}')
  if (fault === "reset") return void response.destroy()
  if (fault === "no-json") return void response.writeHead(200, { "content-type": "application/json" }).end("<html>")
  if (!streamed) {
    response.writeHead(200, { "content-type": "application/json" })
    return void response.end(JSON.stringify(wholeReply(id)))
  }
  response.writeHead(200, { "content-type": "text/event-stream" })
  const filling = "y".repeat(eventBytes)
  for (let event = 1; event <= events && !response.destroyed; event += 1) {
    const hasRoom = response.write(eventOf(event === events ? saidBy(id) : filling, null))
    if (fault === "half" && event > events / 2) return void response.destroy()
    if (pauseMs > 0) await sleep(pauseMs)
    else if (!hasRoom) await new Promise((resolve) => response.once("drain", resolve).once("close", resolve))
  }
  response.end(`${eventOf("", "stop")}data: [DONE]\n\n`)
}

const saidBy = (id: string): string => `said ${id}.`
const head = { id: "chatcmpl-soak", created: 1_750_000_000, model: "upstream" }

const wholeReply = (id: string): object => ({
  ...head,
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: saidBy(id) }, finish_reason: "stop" }],
  usage: { prompt_tokens: 20, completion_tokens: 2, total_tokens: 22 },
})

const eventOf = (content: string, finish: string | null): string =>
  `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`
