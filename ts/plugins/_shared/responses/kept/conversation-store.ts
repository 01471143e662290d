// Conversations by id: items that grow with each response, each conversation of whoever made it.

import { type JsonValue, type KeyValueStore, RtrError, type WireObject } from "../../../../kernel/index.ts"
import { checkRequest } from "../check-request.ts"
import { makeId } from "../wire.ts"
import { maxHistoryBytes } from "./chain.ts"
import { itemsOf } from "./input-items.ts"
import { createLargeValues, type MeasuredValue } from "./large-values.ts"
import { oneAfterTheOther } from "./one-after-the-other.ts"

export interface KeptConversation {
  /** Whose it is. */
  readonly owner: string
  /** As the API shows it. */
  readonly conversation: WireObject
  readonly items: readonly WireObject[]
  /** Bytes as JSON. */
  readonly size: number
}
type Change = Partial<Pick<KeptConversation, "items">> & { readonly metadata?: JsonValue }

export interface ConversationStore {
  create(owner: string, fields: Change): Promise<WireObject>
  /** Throws `not_found` where there is none of this owner. */
  find(id: string, owner: string): Promise<KeptConversation>
  /** Replaces what changes, as if nobody else did at the same time. `hold` counts the memory that this takes. */
  change(
    id: string,
    owner: string,
    change: (kept: KeptConversation) => Change,
    hold: (bytes: number) => void,
  ): Promise<KeptConversation>
  remove(id: string, owner: string): Promise<void>
}

/** How often other processes may be first while one conversation is changed. */
const maxTries = 20
/** The conversation as it was, as it will be, and its text. */
const bytesOfChange = (size: number): number => 3 * size

export function createConversationStore(
  values: KeyValueStore,
  { ttlMs, clock }: { readonly ttlMs: number; readonly clock: () => number },
): ConversationStore {
  const large = createLargeValues(values, { ttlMs })
  const read = async (id: string, owner: string): Promise<{ kept: KeptConversation; version: string }> => {
    const found = isId(id) ? await large.get(id) : undefined
    const kept = found?.value as unknown as KeptConversation | undefined
    if (found === undefined || kept?.owner !== owner) throw noConversation(id)
    return { kept, version: found.version }
  }
  return {
    async create(owner, { items = [], metadata = {} }) {
      const conversation = {
        id: makeId("conv"),
        object: "conversation",
        created_at: Math.floor(clock() / 1000),
        metadata,
      }
      await large.set(conversation.id, measured({ owner, conversation, items }).stored)
      return conversation
    },
    find: async (id, owner) => (await read(id, owner)).kept,
    // Many changes at once would write as many copies, which evict what others have kept.
    change: async (id, owner, change, hold) =>
      oneAfterTheOther(`change ${id}`, async () => {
        let held = 0
        for (let tries = 0; tries < maxTries; tries++) {
          const { kept, version } = await read(id, owner)
          const needed = bytesOfChange(kept.size)
          if (needed > held) hold(needed - held)
          held = Math.max(held, needed)
          const { items = kept.items, metadata = kept.conversation["metadata"] ?? {} } = change(kept)
          const next = measured({ owner, conversation: { ...kept.conversation, metadata }, items })
          if ((await large.compareAndSet(id, version, next.stored)) !== undefined) return next.kept
        }
        throw new RtrError("overloaded", "Cannot change the conversation: others change it all the time", {
          retryAfterSeconds: 1,
        })
      }),
    async remove(id, owner) {
      await read(id, owner)
      await large.delete(id)
    },
  }
}

/** Items of a client for a conversation. Throws `invalid_request` for what no request could have as input. */
export function checkedItems(items: readonly object[]): readonly WireObject[] {
  checkRequest({ model: "any", input: items })
  return itemsOf(items as readonly WireObject[])
}

const encoder = new TextEncoder()

/** Throws `request_too_large` for more than one request can continue. */
function measured(given: Omit<KeptConversation, "size">): {
  readonly kept: KeptConversation
  readonly stored: MeasuredValue
} {
  const text = JSON.stringify(given)
  const size = encoder.encode(text).length
  if (size > maxHistoryBytes)
    throw new RtrError(
      "request_too_large",
      `Cannot keep the conversation: it takes more than the ${maxHistoryBytes} bytes that one may have; begin another one`,
    )
  const kept = { ...given, size }
  return { kept, stored: { value: kept as never, text: `{"size":${size},${text.slice(1)}` } }
}

const isId = (id: string): boolean => /^conv_[\w-]{1,100}$/.test(id)

const noConversation = (id: string): RtrError =>
  new RtrError(
    "not_found",
    `Cannot find the conversation${isId(id) ? ` "${id}"` : ""}: it was deleted or has expired, or another API key made it`,
  )
