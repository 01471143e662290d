// The mock backend of both protocols: prebuilt bytes over node:http, in its own process. GET /last tells path and body of the last request.

import { createServer, type ServerResponse } from "node:http"
import { paths, type Protocol, streamedReplies, wholeReplies } from "./protocols.ts"

const streamMark = /"stream": ?true/
let last = { path: "", body: "" }

const server = createServer((request, response) => {
  const path = (request.url ?? "").split("?")[0] ?? ""
  const protocol = (Object.keys(paths) as readonly Protocol[]).find((each) => paths[each] === path)
  if (request.method === "GET" || protocol === undefined) {
    // Gateways ask for other things on their own account when they start.
    response.writeHead(path === "/last" ? 200 : 404, { "content-type": "application/json" })
    response.end(path === "/last" ? JSON.stringify(last) : "{}")
    return
  }
  let body = ""
  request.on("data", (piece: Buffer) => (body += piece.toString()))
  request.on("end", () => {
    last = { path, body }
    if (streamMark.test(body)) return sendEvents(response, streamedReplies[protocol])
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": wholeReplies[protocol].length,
    })
    response.end(wholeReplies[protocol])
  })
})
server.keepAliveTimeout = 600_000
server.listen(Number(process.argv[2]), "127.0.0.1")

/** Each event leaves in a turn of its own, as those of a model do. */
function sendEvents(response: ServerResponse, events: readonly Buffer[]): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" })
  let next = 0
  const send = (): void => {
    if (response.destroyed) return
    const event = events[next++]
    if (next === events.length) return void response.end(event)
    response.write(event)
    setImmediate(send)
  }
  send()
}
