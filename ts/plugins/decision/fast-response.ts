// Answers with a fixed text; no model is called.

import { type ChatChunk, type ChatReply, definePlugin, type Reply, Type } from "../../kernel/index.ts"

const options = Type.Object(
  { message: Type.String({ minLength: 1, pattern: "\\S", description: "The assistant's text" }) },
  { additionalProperties: false },
)

export default definePlugin({
  about: "Answers at once with a fixed message instead of calling a model",
  options,
  // Before everything that would only prepare a model call.
  order: 0,
  setup({ message }) {
    return { before: ({ request }) => ({ answer: request.stream === true ? streamed(message) : whole(message) }) }
  },
})

const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

function head(): { id: string; created: number; model: string } {
  return { id: `chatcmpl-fast-${crypto.randomUUID()}`, created: Math.floor(Date.now() / 1000), model: "router" }
}

function whole(message: string): Reply {
  const body: ChatReply = {
    ...head(),
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: message }, finish_reason: "stop" }],
    usage,
  }
  return { kind: "json", status: 200, body }
}

/** One chunk per word, as a model would stream it. */
function streamed(message: string): Reply {
  const start = head()
  const chunk = (delta: object, finishReason: string | null, extra: object = {}): ChatChunk => ({
    ...start,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: finishReason }],
    ...extra,
  })
  const words = message.match(/\S+\s*|\s+/g) ?? [message]
  const chunks = [
    chunk({ role: "assistant", content: "" }, null),
    ...words.map((content) => chunk({ content }, null)),
    chunk({}, "stop", { usage }),
  ]
  return { kind: "stream", status: 200, batches: onlyBatch(chunks) }
}

async function* onlyBatch(chunks: readonly ChatChunk[]) {
  yield { chunks, done: true }
}
