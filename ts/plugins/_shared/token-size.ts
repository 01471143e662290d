// Sizes in tokens as documents write them: 8000, "8K", "0.5M".

import { Type } from "../../kernel/index.ts"

export const tokenSize = Type.Unsafe<string | number>({
  type: ["string", "number"],
  pattern: "^[0-9]+(\\.[0-9]+)?[KkMm]?$",
  minimum: 0,
  description: "Tokens; K is a thousand, M a million",
})

/** The size as a number. */
export function toTokens(written: string | number): number {
  if (typeof written === "number") return written
  const unit = { K: 1000, M: 1_000_000 }[written.at(-1)?.toUpperCase() ?? ""] ?? 1
  return Number.parseFloat(written) * unit
}
