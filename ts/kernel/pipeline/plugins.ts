// Runs a decision's plugins as one onion around the model call.

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
  let answeredBy: string | undefined
  const next = async (inside: PluginCall): Promise<Reply> => {
    const outcome = await runPlugins(inner, inside, callModel)
    answeredBy = outcome.answeredBy
    return outcome.reply
  }
  const reply = hooks.around === undefined ? await next(changed) : await hooks.around(changed, next)
  return { reply: await afterwards(hooks, reply, changed), answeredBy }
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
