// The mock backend: prebuilt bytes over node:http, in its own process. GET /last tells which model the last request asked for.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { eventReplies, jsonReply } from "./backend-replies.ts"

const streamMark = /"stream": ?true/
let last = "{}"

const server = createServer((request, response) => {
  if (request.method === "GET") {
    // Gateways ask for other things on their own account when they start.
    response.writeHead(request.url === "/last" ? 200 : 404, { "content-type": "application/json" })
    response.end(request.url === "/last" ? JSON.stringify({ model: modelOf(last) }) : "{}")
    return
  }
  readAll(request, (body) => {
    last = body
    if (streamMark.test(body)) sendEvents(response)
    else {
      response.writeHead(200, { "content-type": "application/json", "content-length": jsonReply.length })
      response.end(jsonReply)
    }
  })
})
server.keepAliveTimeout = 600_000
server.listen(Number(process.argv[2]), "127.0.0.1")

const modelOf = (body: string): unknown => (JSON.parse(body) as { model?: unknown }).model

function readAll(request: IncomingMessage, done: (body: string) => void): void {
  let body = ""
  request.on("data", (piece: Buffer) => (body += piece.toString("latin1")))
  request.on("end", () => done(body))
}

/** Each event leaves in a turn of its own, as those of a model do, so that a proxy has to pass twenty pieces and not one. */
function sendEvents(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" })
  let next = 0
  const send = (): void => {
    if (response.destroyed) return
    const event = eventReplies[next++]
    if (next === eventReplies.length) return void response.end(event)
    response.write(event)
    setImmediate(send)
  }
  send()
}
