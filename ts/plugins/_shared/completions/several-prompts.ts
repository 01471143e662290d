// Several prompts of one request: each is a call of its own, and the client gets one reply.

import {
  addUsage,
  type Call,
  type ChatEvent,
  type ChatStream,
  type Outcome,
  RtrError,
  type StreamBatch,
  type Usage,
} from "../../../kernel/index.ts"

type Run = (call: Call) => Promise<Outcome>

/** The outcome of all calls; record and head are those of the first one. A call that fails is the outcome. */
export async function runEach(calls: readonly [Call, ...Call[]], run: Run): Promise<Outcome> {
  const [first, ...others] = calls
  if (others.length === 0) return run(first)
  if (!first.request.stream) return together(await Promise.all(calls.map(run)))
  const outcome = await run(first)
  if (outcome.reply.kind !== "stream") return outcome
  const stream = oneAfterTheOther(outcome.reply.stream, others, run)
  return { record: outcome.record, reply: { ...outcome.reply, stream, dialect: undefined } }
}

function together(outcomes: readonly Outcome[]): Outcome {
  const [first] = outcomes as readonly [Outcome, ...Outcome[]]
  if (first.reply.kind !== "whole") return first
  const { origin: _, ...reply } = first.reply.reply
  const choices = [...reply.choices]
  let { usage } = reply
  for (const outcome of outcomes.slice(1)) {
    if (outcome.reply.kind !== "whole") return outcome
    choices.push(...outcome.reply.reply.choices)
    usage = addUsage(usage, outcome.reply.reply.usage)
  }
  return { record: first.record, reply: { ...first.reply, reply: { ...reply, choices, usage } } }
}

/** A client reads one stream, so the next call begins when the stream before it has ended. */
function oneAfterTheOther(first: ChatStream, others: readonly Call[], run: Run): ChatStream {
  const waiting = [...others]
  let current = first
  let prompt = 0
  let usage: Usage | undefined
  let isCancelled = false

  const begin = async (call: Call): Promise<void> => {
    const { reply } = await run(call)
    if (reply.kind === "failure") throw new RtrError("upstream_error", reply.message)
    if (reply.kind !== "stream") throw new RtrError("internal_error", "A streamed completion came whole")
    current = reply.stream
    prompt += 1
    if (isCancelled) current.cancel()
  }

  const convert = ({ events, done, failure }: StreamBatch): StreamBatch => {
    const isLast = waiting.length === 0
    const converted = events.flatMap((event): readonly ChatEvent[] => {
      if (event.type === "start") return prompt === 0 ? [event] : []
      if (event.type === "usage") {
        usage = addUsage(usage, event.usage)
        return isLast && usage !== undefined ? [{ type: "usage", usage }] : []
      }
      return [atPrompt(event)]
    })
    return { events: converted, done: done && isLast, ...(failure !== undefined && { failure }) }
  }

  /** Choices of a prompt follow those of the one before. */
  const atPrompt = (event: ChatEvent): ChatEvent => {
    const [{ request } = { request: undefined }] = others
    const count = request?.generation.count ?? 1
    return "choice" in event ? { ...event, choice: event.choice + prompt * count } : event
  }

  return {
    async next() {
      for (;;) {
        const batch = await current.next()
        if (batch !== undefined) return convert(batch)
        const call = isCancelled ? undefined : waiting.shift()
        if (call === undefined) return undefined
        await begin(call)
      }
    },
    cancel() {
      isCancelled = true
      current.cancel()
    },
  }
}
