// A backend that answers every model in the protocol that it is asked in, without a network.

import { createFetchTransport } from "../../ts/kernel/runtime/fetch-transport.ts"
import type { Transport } from "../../ts/kernel/types/transport.ts"

export function createAnsweringTransport(): Transport {
  return createFetchTransport(async (address, init) => {
    const { pathname } = new URL(String(address))
    const body = JSON.parse(String(init?.body ?? "{}")) as { readonly model?: string }
    const model = body.model ?? "model"
    if (pathname.endsWith("/messages")) return Response.json(message(model))
    if (pathname.endsWith("/responses")) return Response.json(response(model))
    return Response.json(completion(model))
  })
}

const text = "The answer is four."

function completion(model: string): object {
  return {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model,
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: text },
        finish_reason: "stop",
        logprobs: {
          content: [
            {
              token: "The",
              logprob: -0.1,
              bytes: null,
              top_logprobs: [
                { token: "The", logprob: -0.1, bytes: null },
                { token: "A", logprob: -3, bytes: null },
              ],
            },
          ],
        },
      },
    ],
    usage: { prompt_tokens: 8, completion_tokens: 5, total_tokens: 13 },
  }
}

function message(model: string): object {
  return {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model,
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 8, output_tokens: 5 },
  }
}

function response(model: string): object {
  return {
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    model,
    output: [
      {
        id: "msg_1",
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text, annotations: [] }],
      },
    ],
    usage: { input_tokens: 8, output_tokens: 5, total_tokens: 13 },
  }
}
