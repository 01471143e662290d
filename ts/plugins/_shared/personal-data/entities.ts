// Personal data in a text: what patterns found and what a model marked, as one list.

import type { TextSpan } from "../../../kernel/index.ts"
import { kindOf, noEntity, patternKinds } from "./kinds.ts"
import { hasForm } from "./patterns/entity-forms.ts"

/** A part of a text that is personal data: `text.slice(start, end)`. `kind` is a name of the configuration. */
export interface Entity {
  readonly kind: string
  readonly start: number
  readonly end: number
  /** 1 for what a pattern found and a check confirmed. */
  readonly probability: number
}

/** The spans of a model as entities. */
export function toEntities(spans: readonly TextSpan[]): readonly Entity[] {
  return spans.flatMap(({ label, start, end, probability }) =>
    kindOf(label) === noEntity ? [] : [{ kind: kindOf(label), start, end, probability }],
  )
}

/**
 * One list in the order of the text, without what cannot be of its kind. A pattern wins over what a model says of the same part: a span keeps what stands
 * outside the pattern, and one of a kind that patterns find only what may be a whole one of that kind. Spans of one kind that overlap become one,
 * with the higher probability. `patterns` are in order and do not overlap.
 */
export function mergeEntities(text: string, patterns: readonly Entity[], marked: readonly Entity[]): readonly Entity[] {
  const possible = marked.filter((entity) => hasForm(text, entity))
  const outside = possible.flatMap((entity) => outsideOf(text, patterns, entity))
  return [...patterns, ...joinSameKind(outside)].toSorted(byPosition)
}

const byPosition = (a: Entity, b: Entity): number => a.start - b.start || a.end - b.end

const kindsOfPatterns: ReadonlySet<string> = new Set([...patternKinds, "PASSWORD"])

/** What the patterns leave of an entity: all of it, parts with a letter or digit, or nothing. */
function outsideOf(text: string, patterns: readonly Entity[], entity: Entity): readonly Entity[] {
  let next = firstEndingAfter(patterns, entity.start)
  if ((patterns[next]?.start ?? Infinity) >= entity.end) return [entity]
  const parts: Entity[] = []
  let { start } = entity
  for (; start < entity.end; next++) {
    const pattern = patterns[next]
    const end = Math.min(entity.end, pattern?.start ?? Infinity)
    const part = end > start ? trimmed(text, { ...entity, start, end }) : undefined
    if (part !== undefined && mayBeWhole(text, part)) parts.push(part)
    start = pattern?.end ?? entity.end
  }
  return parts
}

/** The model took the pattern and a word beside it for one number; another number beside it is one of its own. */
function mayBeWhole(text: string, { kind, start, end }: Entity): boolean {
  if (!kindsOfPatterns.has(kind)) return true
  return kind === "PASSWORD" ? end - start >= 4 : /@|(?:\d\D{0,3}){6}/.test(text.slice(start, end))
}

/** Position of the first pattern that ends after a position. */
function firstEndingAfter(patterns: readonly Entity[], position: number): number {
  let [low, high] = [0, patterns.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((patterns[middle]?.end ?? Infinity) > position) high = middle
    else low = middle + 1
  }
  return low
}

/** The entity without the space and signs around it. */
function trimmed(text: string, entity: Entity): Entity | undefined {
  const part = text.slice(entity.start, entity.end)
  const first = part.search(/[\p{L}\p{N}]/u)
  if (first === -1) return undefined
  const start = entity.start + first
  let { end } = entity
  while (end - 1 > start && !/[\p{L}\p{N}\p{Cs}]/u.test(text.charAt(end - 1))) end--
  return { ...entity, start, end }
}

function joinSameKind(entities: readonly Entity[]): readonly Entity[] {
  const joined: Entity[] = []
  const lastOfKind = new Map<string, number>()
  for (const entity of entities.toSorted(byPosition)) {
    const position = lastOfKind.get(entity.kind)
    const last = position === undefined ? undefined : joined[position]
    if (position !== undefined && last !== undefined && entity.start < last.end)
      joined[position] = {
        ...last,
        end: Math.max(last.end, entity.end),
        probability: Math.max(last.probability, entity.probability),
      }
    else lastOfKind.set(entity.kind, joined.push(entity) - 1)
  }
  return joined
}
