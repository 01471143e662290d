// Shops, offices and museums: their addresses and telephones are for everybody. Who has opening hours is no private person.

import type { Entity } from "./entities.ts"

const kinds: ReadonlySet<string> = new Set(["STREET_ADDRESS", "PHONE_NUMBER", "ZIP_CODE"])

/** Opening hours stand so near, in the same paragraph. */
const reach = 160

/** Whether a finding is an address or a telephone of a place that has opening hours. */
export function isPublicPlace(text: string, { kind, start, end }: Entity): boolean {
  if (!kinds.has(kind)) return false
  const before = text.slice(Math.max(0, start - reach), start)
  const behind = text.slice(end, end + reach)
  const near = `${before.slice(before.lastIndexOf("\n\n") + 1)}|${behind.split("\n\n", 1)[0]}`
  return hours.test(near) && !person.test(near)
}

const day = "(?:mon|tue|wed|thu|fri|sat|sun)(?:day|sday|nesday|rsday|urday)?s?"
const hours = new RegExp(
  [
    "open(?:ing)?[ _]?(?:hours|times)",
    `(?<!\\p{L})(?:open|opens|closed?|closes|closing)(?: (?:on|at|from|until|till|daily|again|every day|every))* ?(?:${day}|daily|\\d|six|seven|eight|nine|ten|noon|midnight)(?!\\p{L})`,
    `open weekdays|${day} ?(?:[–-]|to) ?${day}[,:]? \\d`,
    "öffnungszeiten|geöffnet|täglich(?: von)? \\d|ruhetag|ouverte?s? (?:de|du|tous|le)(?!\\p{L})|horaires? d['’]ouverture|horario(?: de apertura| comercial|:)|orari(?:o)? di apertura",
  ].join("|"),
  "iu",
)
/** Whose address may stand beside the hours of somebody else. */
const person =
  /(?<!\p{L})(?:my|our customer|customers?|clients?|patients?|tenants?|guests?|he|she|her|his|deliver(?:y|ed)?|ship(?:ped|ping)?|home|lives?|resident|name:)(?!\p{L})/iu
