// What models thought in kept responses. As on the vendors' own servers it goes back to who thought it, and to nobody else.

import type { Outcome, Thinker, WireObject } from "../../../../kernel/index.ts"
import { isObject, isText } from "../../dialect/wire.ts"
import { readReasoning, rememberThinker } from "../items.ts"

/** Who answered; undefined for a reply that no backend made as it is. */
export function thinkerOf({ reply, record: { model } }: Outcome): Thinker | undefined {
  const dialect =
    reply.kind === "whole" ? reply.reply.origin?.dialect : reply.kind === "stream" ? reply.dialect : undefined
  return model === undefined || dialect === undefined ? undefined : { model, dialect }
}

/** The field of kept items that tells who thought them. Clients neither see nor write it. */
const field = "thought_by"

/** An item of a reply as it is kept. */
export const withThinker = (item: WireObject, thinker: Thinker | undefined): WireObject =>
  item["type"] === "reasoning" && thinker !== undefined ? { ...item, [field]: { ...thinker } } : item

/** An item as clients see it. */
export function withoutThinker(item: WireObject): WireObject {
  if (!(field in item)) return item
  const { [field]: _, ...rest } = item
  return rest
}

/** The item for a later request; none where its vendor could not tell that it is its own. */
export function toThought(item: WireObject): readonly WireObject[] {
  const { [field]: thinker, status: _, ...thought } = item
  const { encrypted, signature } = readReasoning(thought)
  if (!isThinker(thinker) || (encrypted === undefined && signature === undefined)) return []
  rememberThinker(thought, thinker)
  return [thought]
}

const isThinker = (value: unknown): value is Thinker & WireObject =>
  isObject(value) && isText(value["model"]) && isText(value["dialect"])
