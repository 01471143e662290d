// Runs a decision's plugins as one onion around the model call.

import { RtrError } from "../error.ts"
import type { PluginOutcome } from "../types/call.ts"
import type { ChatEvent, ChatReply, ChatStream, Reply, StreamBatch, StreamedReply, WholeReply } from "../types/chat.ts"
import { createReplyCollector } from "../chat/collect-reply.ts"
import { eventsOf } from "../chat/reply-events.ts"
import { lastUserText } from "../chat/texts.ts"
import type { MaybePromise } from "../types/module-base.ts"
import type { PlannedPlugin, PlannedSignal } from "../types/plan.ts"
import type { CancelSignal } from "../types/cancel-signal.ts"
import type { JudgedReply, PluginCall, PluginHook, PluginHooks } from "../types/plugin.ts"
import { readAfter, readAround, readBefore, readEvents } from "./module-results.ts"
import { passStream, type StreamEnd, streamOf } from "./streams.ts"
import { hasLeft, waitForModule } from "./wait-for-module.ts"

export interface PluginRun {
  readonly plugins: readonly PlannedPlugin[]
  readonly callModel: (call: PluginCall) => Promise<Reply>
  readonly client: CancelSignal
  /** Longest wait for a hook, without the time that it waits for the model: the listener's `timeout`. */
  readonly timeoutMs: number
  /** Told what each plugin did, unless it did nothing. */
  readonly onOutcome: (outcome: PluginOutcome) => void
  /** Told about each call that a plugin has changed: the object that the plugins inside are given. */
  readonly onCall: (call: PluginCall) => void
  /** Told what a hook threw, also where it harms nobody any more. */
  readonly onHookError: (type: string, hook: PluginHook | "open", error: unknown) => void
  /** Has signals read a reply. */
  readonly judge?:
    | ((signals: readonly PlannedSignal[], reply: WholeReply | StreamedReply) => Promise<JudgedReply>)
    | undefined
  /** Counts memory for streams that a plugin reads whole. Throws when there is no room. */
  readonly hold?: ((bytes: number) => void) | undefined
}

/** A reply, and the plugin that gave it when it was not the model. */
export interface PluginReply {
  readonly reply: Reply
  readonly answeredBy: string | undefined
}

/** A plugin with its hooks for one call. */
interface Opened {
  readonly type: string
  readonly hooks: Partial<PluginHooks>
  readonly buffersStream: boolean
  readonly note: (outcome: PluginOutcome["outcome"]) => void
  readonly failed: (hook: PluginHook | "open", error: unknown) => void
  /** Waits for what a hook returned, if that takes time. */
  readonly wait: <Value>(hook: PluginHook, result: MaybePromise<Value>, isPaused?: () => boolean) => MaybePromise<Value>
}

/**
 * Runs the plugins from the outermost to the innermost, then the model, then the after-hooks on the way back.
 * An answer given by a before-hook passes the after-hooks of the plugins outside it only.
 */
export async function runPlugins(run: PluginRun, call: PluginCall): Promise<PluginReply> {
  const opened: Opened[] = []
  const end = (how: StreamEnd): void => {
    for (const { type, hooks } of opened.toReversed())
      try {
        hooks.end?.(how)
      } catch (error) {
        run.onHookError(type, "end", error)
      }
  }
  let result: PluginReply
  try {
    result = await runFrom(0, { ...run, opened }, call)
  } catch (error) {
    end("failed")
    throw error
  }
  if (result.reply.kind === "stream" && opened.some(({ hooks }) => hooks.end !== undefined))
    return { ...result, reply: { ...result.reply, stream: passStream(result.reply.stream, { onEnd: end }) } }
  end("complete")
  return result
}

interface Onion extends PluginRun {
  readonly opened: Opened[]
}

async function runFrom(index: number, onion: Onion, call: PluginCall): Promise<PluginReply> {
  const planned = onion.plugins[index]
  if (planned === undefined) return { reply: await onion.callModel(call), answeredBy: undefined }
  const plugin = open(planned, onion, call)
  const { type, hooks } = plugin
  let inside = call
  if (hooks.before !== undefined) {
    const before = await noteFailure(plugin, "before", async () =>
      readBefore(type, await plugin.wait("before", hooks.before?.(call)), call.request),
    )
    if (before !== undefined && "refuse" in before) {
      plugin.note("refused")
      throw before.refuse
    }
    if (before !== undefined && "answer" in before) {
      plugin.note("answered")
      return { reply: { kind: "whole", status: 200, reply: before.answer }, answeredBy: type }
    }
    if (before !== undefined) {
      plugin.note("changed")
      inside = withCurrentText(call, {
        ...call,
        ...(before.request && { request: before.request }),
        ...(before.headers && { headers: before.headers }),
      })
      onion.onCall(inside)
    }
  }
  const { reply, answeredBy } =
    hooks.around === undefined
      ? await runFrom(index + 1, onion, inside)
      : await runAround(plugin, inside, (again) => {
          const current = again === inside ? again : withCurrentText(inside, again)
          if (current !== inside) onion.onCall(current)
          return runFrom(index + 1, onion, current)
        })
  return { reply: await afterwards(plugin, reply, onion.hold), answeredBy }
}

/** What a plugin took out of the request must not be seen in `text` by those inside it. */
function withCurrentText(before: PluginCall, call: PluginCall): PluginCall {
  return call.request === before.request ? call : { ...call, text: lastUserText(call.request) }
}

function open(
  { type, buffersStream, debugHeader, judges, open: openHooks }: PlannedPlugin,
  { opened, onOutcome, onHookError, judge, client, timeoutMs }: Onion,
  call: PluginCall,
): Opened {
  const note: Opened["note"] = (outcome) =>
    onOutcome({ type, outcome, ...(debugHeader !== undefined && { debugHeader }) })
  const failed: Opened["failed"] = (hook, error) => {
    if (hasLeft(client, error)) return
    note("failed")
    onHookError(type, hook, error)
  }
  const wait: Opened["wait"] = (hook, result, isPaused) =>
    result instanceof Promise
      ? waitForModule(result, client, {
          timeoutMs,
          missing: `Plugin "${type}" did not end its hook ${hook}`,
          ...(isPaused !== undefined && { isPaused }),
        })
      : result
  const asking =
    judges === undefined || judge === undefined
      ? call
      : { ...call, judge: (reply: WholeReply | StreamedReply) => judge(judges, reply) }
  try {
    const plugin = { type, hooks: openHooks(asking), buffersStream, note, failed, wait }
    opened.push(plugin)
    return plugin
  } catch (error) {
    failed("open", error)
    throw error
  }
}

async function noteFailure<Value>(
  { failed }: Opened,
  name: PluginHook,
  hook: () => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await hook()
  } catch (error) {
    failed(name, error)
    throw error
  }
}

async function runAround(
  { type, hooks, failed, wait }: Opened,
  call: PluginCall,
  run: (call: PluginCall) => Promise<PluginReply>,
): Promise<PluginReply> {
  const given: Reply[] = []
  const thrownInside: unknown[] = []
  let running = 0
  /** Nobody waits for the hook any more, whatever it goes on to do. */
  let over = false
  // The model and its stream have time-outs of their own.
  const waitsForModel = (): boolean => running > 0 || given.some(({ kind }) => kind === "stream")
  // Who answered when the hook never asks: the plugin itself.
  let answeredBy: string | undefined = type
  try {
    const returned = (hooks as PluginHooks).around(call, async (inside) => {
      running += 1
      try {
        if (over) throw endedRequest()
        const result = await run(inside)
        if (over) {
          closeStreams([result.reply])
          throw endedRequest()
        }
        answeredBy = result.answeredBy
        given.push(result.reply)
        return result.reply
      } catch (error) {
        thrownInside.push(error)
        throw error
      } finally {
        running -= 1
      }
    })
    const reply = readAround(type, await wait("around", returned, waitsForModel), given)
    closeStreams(given.filter((other) => other !== keptBy(reply, given)))
    return { reply, answeredBy }
  } catch (error) {
    over = true
    // A plugin may put what was thrown inside into other words.
    if (!thrownInside.some((each) => each === error || each === (error as Error | undefined)?.cause))
      failed("around", error)
    closeStreams(given)
    throw error
  }
}

const endedRequest = (): RtrError => new RtrError("deadline_exceeded", "Cannot call the model: the request has ended")

/** A returned stream is one of those that were given, or made from the last of them. */
function keptBy(reply: Reply, given: readonly Reply[]): Reply | undefined {
  if (reply.kind !== "stream") return undefined
  return given.find((other) => other.kind === "stream" && other.stream === reply.stream) ?? given.at(-1)
}

/** A stream that nobody reads would keep its backend connection. */
function closeStreams(replies: readonly Reply[]): void {
  for (const reply of replies) if (reply.kind === "stream") reply.stream.cancel()
}

/** Failures of the upstream pass unseen: after-hooks are about answers. */
async function afterwards(plugin: Opened, reply: Reply, hold: PluginRun["hold"]): Promise<Reply> {
  const { type, hooks, buffersStream, wait } = plugin
  if (reply.kind === "failure") return reply
  const { after, event } = hooks
  const check = (whole: ChatReply): Promise<ChatReply> =>
    noteFailure(plugin, "after", async () => readAfter(type, await wait("after", after?.call(hooks, whole)), whole))
  if (reply.kind === "whole") return after === undefined ? reply : { ...reply, reply: await check(reply.reply) }
  let { stream } = reply
  if (event !== undefined) {
    const onBatch = (batch: StreamBatch) => mapEvents(batch, plugin, (each) => event.call(hooks, each))
    stream = passStream(stream, { onBatch })
  }
  if (!buffersStream || after === undefined) return { ...reply, stream }
  return { ...reply, stream: buffered({ type, hold, check }, stream), dialect: undefined }
}

async function mapEvents(
  batch: StreamBatch,
  { type, failed, wait }: Opened,
  onEvent: PluginHooks["event"],
): Promise<StreamBatch> {
  let changed = false
  const events: ChatEvent[] = []
  for (const each of batch.events) {
    try {
      const pending = wait("event", onEvent(each))
      const result = pending instanceof Promise ? await pending : pending
      if (result === each) events.push(each)
      else {
        changed = true
        events.push(...readEvents(type, result))
      }
    } catch (error) {
      failed("event", error)
      throw error
    }
  }
  if (!changed) return batch
  const { bytes: _, ...rest } = batch
  return { ...rest, events }
}

/** As much as a whole reply may have. */
const maxBufferedBytes = 64 * 1024 * 1024

/** What a batch takes while it is held, about. */
const sizeOf = ({ bytes, events }: StreamBatch): number => bytes?.length ?? JSON.stringify(events).length

interface Buffering extends Pick<PluginRun, "hold"> {
  readonly type: string
  readonly check: (reply: ChatReply) => Promise<ChatReply>
}

/** The whole stream is read and checked before its first byte goes on. Rejects with `upstream_error` when it does not end in time for its memory. */
function buffered({ type, hold, check }: Buffering, source: ChatStream): ChatStream {
  let checked: ChatStream | undefined
  let over = false
  const read = async (): Promise<ChatStream> => {
    const collector = createReplyCollector()
    let size = 0
    for (let batch = await source.next(); batch !== undefined; batch = await source.next()) {
      const taken = sizeOf(batch)
      size += taken
      try {
        if (size > maxBufferedBytes)
          throw new RtrError(
            "upstream_error",
            `The stream is longer than 64 MiB, and plugin "${type}" has to read it whole`,
          )
        hold?.(taken)
      } catch (error) {
        source.cancel()
        throw error
      }
      for (const event of batch.events) collector.add(event)
    }
    return streamOf(over ? [] : eventsOf(await check(collector.reply())))
  }
  return {
    async next() {
      if (over) return undefined
      try {
        checked ??= await read()
        return await checked.next()
      } catch (error) {
        over = true
        throw error
      }
    },
    cancel() {
      over = true
      source.cancel()
      checked?.cancel()
    },
  }
}
