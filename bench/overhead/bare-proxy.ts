// The least that a gateway has to do, on the kernel's own foundations: parse the body, rewrite the model, pass on reply or stream.

import { H3 } from "h3"
import { FastResponse } from "srvx"
import { serve } from "srvx/node"
import { Agent, type Dispatcher, request } from "undici"

const [port, upstream = ""] = process.argv.slice(2)
const dispatcher = new Agent({ connections: 1024 })
const app = new H3()

app.post("/v1/chat/completions", async (event) => {
  const body = JSON.parse(await event.req.text()) as Record<string, unknown>
  const reply = await request(upstream, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...body, model: "upstream-small" }),
    dispatcher,
  })
  const type = String(reply.headers["content-type"])
  return new FastResponse(type.startsWith("text/event-stream") ? toStream(reply.body) : await reply.body.text(), {
    status: reply.statusCode,
    headers: { "content-type": type },
  })
})

/** Pulls, so that the client's pace is the upstream's pace; a client that leaves closes the upstream connection. */
function toStream(body: Dispatcher.ResponseData["body"]): ReadableStream<Uint8Array> {
  // Destroying the body emits an error; without a listener it would end the process.
  body.on("error", () => {})
  const pieces = body[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { value, done } = await pieces.next()
        if (done === true) controller.close()
        else controller.enqueue(value as Uint8Array)
      },
      async cancel() {
        await pieces.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

serve({ fetch: app.fetch.bind(app), port: Number(port), hostname: "127.0.0.1", silent: true })
