// How backends of tests answer.

import type { ServerResponse } from "node:http"

export function sendJson(
  response: ServerResponse,
  body: object,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
}

/** Sends the events of a stream, each written by itself, and ends it. */
export function sendEvents(response: ServerResponse, events: readonly string[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" })
  for (const event of events) response.write(event)
  response.end()
}
