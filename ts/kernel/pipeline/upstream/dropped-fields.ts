// What a backend of another protocol does not get of a client's fields, as headers and logs may name it.

import type { ChatRequest } from "../../types/chat.ts"
import type { WireObject } from "../../types/dialect.ts"
import type { TargetBackend } from "../../types/plan.ts"

/** A header must stay short, whatever a client sends. */
const maxNames = 20
const safeName = /^[A-Za-z\d_.-]{1,64}$/

/** `["seed", "x_own", "+3"]`: the number stands for fields that are not named. Undefined where nothing was left out. */
export function droppedFields(
  { dialectId, dialect }: Pick<TargetBackend, "dialectId" | "dialect">,
  request: ChatRequest,
  body: WireObject,
): readonly string[] | undefined {
  if (request.origin === undefined || request.origin.dialect === dialectId) return undefined
  const names = dialect.leftOut?.(request, body) ?? []
  if (names.length === 0) return undefined
  const shown = names.filter((name) => safeName.test(name)).slice(0, maxNames)
  return shown.length === names.length ? shown : [...shown, `+${names.length - shown.length}`]
}
