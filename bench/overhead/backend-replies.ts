// The bytes that the mock backend sends, and what a client must find in them.

export const eventCount = 20

const words = Array.from({ length: eventCount }, (_, index) => `word${index + 1} `)

/** Text of the whole reply and of the joined stream. */
export const replyText: string = words.join("")

const head = { id: "chatcmpl-bench", created: 1_750_000_000, model: "upstream" }

export const jsonReply: Buffer = Buffer.from(
  JSON.stringify({
    ...head,
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: replyText }, finish_reason: "stop" }],
    usage: { prompt_tokens: 60, completion_tokens: eventCount, total_tokens: 60 + eventCount },
  }),
)

/** One buffer for each event; the end mark travels with the last. */
export const eventReplies: readonly Buffer[] = words.map((word, index) => {
  const last = index === words.length - 1
  const delta = index === 0 ? { role: "assistant", content: word } : { content: word }
  const chunk = {
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: last ? "stop" : null }],
  }
  return Buffer.from(`data: ${JSON.stringify(chunk)}\n\n${last ? "data: [DONE]\n\n" : ""}`)
})

/** In the body of every right reply. */
export const expectedInJson: readonly string[] = [replyText]
export const expectedInStream: readonly string[] = ["word1 ", `word${eventCount} `, "[DONE]"]
