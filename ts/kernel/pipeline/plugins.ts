// Runs a decision's plugins as one onion around the model call.

import { RtrError } from "../error.ts"
import type { CallRecord, PluginOutcome } from "../types/call.ts"
import type { ChatEvent, ChatReply, ChatStream, Reply, StreamBatch } from "../types/chat.ts"
import { createReplyCollector } from "../chat/collect-reply.ts"
import { eventsOf } from "../chat/reply-events.ts"
import type { PlannedPlugin } from "../types/plan.ts"
import type { PluginCall, PluginHooks } from "../types/plugin.ts"
import { passStream, type StreamEnd, streamOf } from "./streams.ts"

export type CallModel = (call: PluginCall) => Promise<Reply>

/** A reply, and the plugin that gave it when it was not the model. */
export interface PluginReply {
  readonly reply: Reply
  readonly answeredBy: string | undefined
}

interface Opened {
  readonly type: string
  readonly hooks: Partial<PluginHooks>
  readonly buffersStream: boolean
}

/** Whether some plugin looks at the events of a stream. */
export function readsEvents(plugins: readonly PlannedPlugin[]): boolean {
  return plugins.some(({ hooks, buffersStream }) => buffersStream || hooks.has("event") || hooks.has("around"))
}

/**
 * Runs the plugins from the outermost to the innermost, then the model, then the after-hooks on the way back.
 * An answer given by a before-hook passes the after-hooks of the plugins outside it only.
 */
export async function runPlugins(
  plugins: readonly PlannedPlugin[],
  call: PluginCall,
  record: CallRecord,
  callModel: CallModel,
): Promise<PluginReply> {
  if (plugins.length === 0) return { reply: await callModel(call), answeredBy: undefined }
  const opened: Opened[] = []
  const end = (how: StreamEnd): void => {
    for (const { hooks } of opened.toReversed()) hooks.end?.(how)
  }
  try {
    const result = await runFrom(0, { plugins, opened, record, callModel }, call)
    if (result.reply.kind === "stream" && opened.some(({ hooks }) => hooks.end !== undefined))
      return { ...result, reply: { ...result.reply, stream: passStream(result.reply.stream, { onEnd: end }) } }
    end("complete")
    return result
  } catch (error) {
    end("failed")
    throw error
  }
}

interface Onion {
  readonly plugins: readonly PlannedPlugin[]
  readonly opened: Opened[]
  readonly record: CallRecord
  readonly callModel: CallModel
}

async function runFrom(index: number, onion: Onion, call: PluginCall): Promise<PluginReply> {
  const plugin = onion.plugins[index]
  if (plugin === undefined) return { reply: await onion.callModel(call), answeredBy: undefined }
  const note = (outcome: PluginOutcome["outcome"]): void => {
    onion.record.plugins.push({ type: plugin.type, outcome })
  }
  const { type, buffersStream } = plugin
  const hooks = plugin.open(call)
  onion.opened.push({ type, hooks, buffersStream })
  let inside = call
  if (hooks.before !== undefined) {
    const before = await hooks.before(call)
    checkBefore(before, type)
    if (before !== undefined && "refuse" in before) {
      note("refused")
      throw before.refuse
    }
    if (before !== undefined && "answer" in before) {
      note("answered")
      return { reply: { kind: "whole", status: 200, reply: before.answer }, answeredBy: type }
    }
    if (before !== undefined) {
      note("changed")
      inside = {
        ...call,
        ...(before.request && { request: before.request }),
        ...(before.headers && { headers: before.headers }),
      }
    }
  }
  const { reply, answeredBy } =
    hooks.around === undefined
      ? await runFrom(index + 1, onion, inside)
      : await runAround(type, hooks.around.bind(hooks), inside, (again) => runFrom(index + 1, onion, again))
  return { reply: await afterwards({ type, hooks, buffersStream }, reply), answeredBy }
}

/** A mistake here would send on what the plugin meant to change or to stop. */
function checkBefore(result: unknown, type: string): void {
  if (result === undefined) return
  const known =
    typeof result === "object" &&
    result !== null &&
    Object.keys(result).every((key) => ["request", "headers", "answer", "refuse"].includes(key))
  if (!known)
    throw new RtrError(
      "invalid_module",
      `Plugin "${type}" returned something else from before than undefined, { request, headers }, { answer } or { refuse }`,
    )
}

async function runAround(
  type: string,
  around: PluginHooks["around"],
  call: PluginCall,
  run: (call: PluginCall) => Promise<PluginReply>,
): Promise<PluginReply> {
  const given: Reply[] = []
  // Who answered when the hook never asks: the plugin itself.
  let answeredBy: string | undefined = type
  try {
    const reply = await around(call, async (inside) => {
      const result = await run(inside)
      answeredBy = result.answeredBy
      given.push(result.reply)
      return result.reply
    })
    // A returned stream is the last one that was given, or made from it.
    closeStreams(reply.kind === "stream" ? given.slice(0, -1) : given)
    return { reply, answeredBy }
  } catch (error) {
    closeStreams(given)
    throw error
  }
}

/** A stream that nobody reads would keep its backend connection. */
function closeStreams(replies: readonly Reply[]): void {
  for (const reply of replies) if (reply.kind === "stream") reply.stream.cancel()
}

/** Failures of the upstream pass unseen: after-hooks are about answers. */
async function afterwards(plugin: Opened, reply: Reply): Promise<Reply> {
  const { hooks, buffersStream } = plugin
  if (reply.kind === "failure" || reply.status >= 400) return reply
  if (reply.kind === "whole")
    return hooks.after === undefined ? reply : { ...reply, reply: await hooks.after(reply.reply) }
  const { event } = hooks
  const mapped =
    event === undefined ? reply.stream : passStream(reply.stream, { onBatch: (batch) => mapEvents(batch, event, hooks) })
  if (!buffersStream || hooks.after === undefined) return { ...reply, stream: mapped }
  return { ...reply, stream: buffered(mapped, hooks.after.bind(hooks)), dialect: undefined }
}

async function mapEvents(
  batch: StreamBatch,
  event: PluginHooks["event"],
  hooks: Partial<PluginHooks>,
): Promise<StreamBatch> {
  let changed = false
  const events: ChatEvent[] = []
  for (const each of batch.events) {
    const pending = event.call(hooks as PluginHooks, each)
    const result = pending instanceof Promise ? await pending : pending
    if (result === each) events.push(each)
    else {
      changed = true
      if (Array.isArray(result)) events.push(...(result as readonly ChatEvent[]))
      else if (result !== undefined) events.push(result as ChatEvent)
    }
  }
  if (!changed) return batch
  const { bytes: _, ...rest } = batch
  return { ...rest, events }
}

/** The whole stream is read and checked before its first byte goes on. */
function buffered(source: ChatStream, after: (reply: ChatReply) => ChatReply | Promise<ChatReply>): ChatStream {
  let checked: ChatStream | undefined
  let cancelled = false
  const read = async (): Promise<ChatStream> => {
    const collector = createReplyCollector()
    for (let batch = await source.next(); batch !== undefined; batch = await source.next())
      for (const event of batch.events) collector.add(event)
    return streamOf(cancelled ? [] : eventsOf(await after(collector.reply())))
  }
  return {
    async next() {
      checked ??= await read()
      return checked.next()
    },
    cancel() {
      cancelled = true
      source.cancel()
      checked?.cancel()
    },
  }
}
