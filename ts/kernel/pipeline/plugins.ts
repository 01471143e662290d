// Runs a decision's plugins as one onion around the model call.

import { RtrError } from "../error.ts"
import type { ChunkBatch, Reply } from "../types/chat.ts"
import type { PluginCall, PluginHooks } from "../types/module.ts"
import type { PlannedPlugin } from "../types/plan.ts"
import { passBatches } from "./batches.ts"

export type CallModel = (call: PluginCall) => Promise<Reply>

/** Who gave the reply: the model, or the plugin that answered at once. */
export interface PluginOutcome {
  readonly reply: Reply
  readonly answeredBy: string | undefined
}

/**
 * Runs the plugins from the outermost to the innermost, then the model, then the after-hooks on the way back.
 * An answer given by a before-hook passes the after-hooks of the plugins outside it only.
 */
export async function runPlugins(
  plugins: readonly PlannedPlugin[],
  call: PluginCall,
  callModel: CallModel,
): Promise<PluginOutcome> {
  const [plugin, ...inner] = plugins
  if (plugin === undefined) return { reply: await callModel(call), answeredBy: undefined }
  const { hooks } = plugin
  const before = await hooks.before?.(call)
  checkBefore(before, plugin.type)
  if (before !== undefined && "refuse" in before) throw before.refuse
  if (before !== undefined && "answer" in before) return { reply: before.answer, answeredBy: plugin.type }

  const changed: PluginCall =
    before === undefined
      ? call
      : {
          ...call,
          ...(before.request && { request: before.request }),
          ...(before.headers && { headers: before.headers }),
        }
  const { reply, answeredBy } =
    hooks.around === undefined
      ? await runPlugins(inner, changed, callModel)
      : await runAround(plugin, hooks.around.bind(hooks), changed, (inside) => runPlugins(inner, inside, callModel))
  return { reply: await afterwards(hooks, reply, changed), answeredBy }
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
  { type }: PlannedPlugin,
  around: NonNullable<PluginHooks["around"]>,
  call: PluginCall,
  run: (call: PluginCall) => Promise<PluginOutcome>,
): Promise<PluginOutcome> {
  const given: Reply[] = []
  // Who answered when the hook never asks: the plugin itself.
  let answeredBy: string | undefined = type
  try {
    const reply = await around(call, async (inside) => {
      const outcome = await run(inside)
      answeredBy = outcome.answeredBy
      given.push(outcome.reply)
      return outcome.reply
    })
    // A returned stream is the last one that was given, or made from it.
    await closeStreams(reply.kind === "stream" ? given.slice(0, -1) : given)
    return { reply, answeredBy }
  } catch (error) {
    await closeStreams(given)
    throw error
  }
}

/** A stream that nobody reads would keep its backend connection. */
async function closeStreams(replies: readonly Reply[]): Promise<void> {
  await Promise.all(
    replies.map((reply) => (reply.kind === "stream" ? reply.batches[Symbol.asyncIterator]().return?.() : undefined)),
  )
}

/** Error replies of the upstream pass unseen: after-hooks are about answers. */
async function afterwards(hooks: PluginHooks, reply: Reply, call: PluginCall): Promise<Reply> {
  if (reply.status >= 400) return reply
  if (reply.kind === "json") {
    if (hooks.after === undefined) return reply
    const { text: _, ...changed } = reply
    return { ...changed, body: await hooks.after(reply.body, call) }
  }
  return hooks.onChunk === undefined
    ? reply
    : { ...reply, batches: mapChunks(reply.batches, hooks.onChunk.bind(hooks), call) }
}

function mapChunks(
  batches: AsyncIterable<ChunkBatch>,
  onChunk: NonNullable<PluginHooks["onChunk"]>,
  call: PluginCall,
): AsyncIterable<ChunkBatch> {
  return passBatches(batches, {
    onBatch(batch) {
      let changed = false
      const chunks = batch.chunks.flatMap((chunk) => {
        const result = onChunk(chunk, call)
        changed ||= result !== chunk
        return result === undefined ? [] : [result]
      })
      return changed ? { chunks, done: batch.done } : batch
    },
  })
}
