// A small backend that speaks the chat-completions wire, JSON and event streams, so that the quickstart needs no key.
// Alone: node examples/quickstart/backend.ts NAME PORT

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"

interface ChatBody {
  readonly model?: string
  readonly stream?: boolean
  readonly messages?: readonly { readonly role: string; readonly content?: unknown }[]
}

/** Starts a backend that answers as `name`. */
export function startBackend(name: string, port: number): Promise<Server> {
  const server = createServer((request, response) => {
    answer(name, request, response).catch(() => {
      response.writeHead(400, { "content-type": "application/json" })
      response.end(
        JSON.stringify({
          error: { message: "The body is not a chat request", type: "invalid_request_error", code: "invalid_request" },
        }),
      )
    })
  })
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => resolve(server))
  })
}

async function answer(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = ""
  for await (const piece of request) text += String(piece)
  const body = JSON.parse(text) as ChatBody
  const question = String(body.messages?.findLast(({ role }) => role === "user")?.content ?? "")
  const sentence = `This is ${name}. You asked: ${question.length > 60 ? `${question.slice(0, 60)}…` : question}`
  const head = {
    id: `chatcmpl-${name}-${Date.now()}`,
    created: Math.floor(Date.now() / 1000),
    model: body.model ?? name,
  }
  const words = sentence.split(" ")
  const usage = {
    prompt_tokens: Math.ceil(text.length / 4),
    completion_tokens: words.length,
    total_tokens: Math.ceil(text.length / 4) + words.length,
  }
  if (body.stream !== true) {
    const choices = [{ index: 0, message: { role: "assistant", content: sentence }, finish_reason: "stop" }]
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ ...head, object: "chat.completion", choices, usage }))
    return
  }
  response.writeHead(200, { "content-type": "text/event-stream" })
  const send = (delta: object, finishReason: string | null): void => {
    response.write(
      `data: ${JSON.stringify({ ...head, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`,
    )
  }
  send({ role: "assistant", content: "" }, null)
  for (const word of words) send({ content: `${word} ` }, null)
  send({}, "stop")
  response.end("data: [DONE]\n\n")
}

const [, script, name, port] = process.argv
if (script === import.meta.filename && name !== undefined && port !== undefined) {
  await startBackend(name, Number(port))
  process.stdout.write(`${name} listens on http://127.0.0.1:${port}\n`)
}
