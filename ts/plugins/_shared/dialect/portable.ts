// What dialects need that tell which requests backends of other dialects can take.

import type { Block, JsonValue } from "../../../kernel/index.ts"
import { isObject, isText } from "./wire.ts"

/** The blocks of a turn with those in results of tools. */
export const withResults = (blocks: readonly Block[]): readonly Block[] =>
  blocks.flatMap((block) => (block.type === "tool_result" ? [block, ...block.blocks] : [block]))

/** The type of what a client sent. */
export const nameOf = (value: JsonValue): string =>
  `"${isObject(value) && isText(value["type"]) ? value["type"] : String(value)}"`
