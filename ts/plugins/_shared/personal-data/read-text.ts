// The findings in a text: what patterns are sure of, and what a model marks, each searched and asked once for all rules.

import type { MaybePromise, PartialCoverage, TextSpan } from "../../../kernel/index.ts"
import { askWithoutData } from "../guards/without-data.ts"
import { onceEach } from "../once-each.ts"
import { toFindings } from "./built-in-model.ts"
import { type Entity, mergeEntities, toEntities } from "./entities.ts"
import { keepPrivate } from "./private-persons.ts"

/** What a text holds, and why the model did not read it, or not all of it. */
export interface ReadText {
  readonly entities: readonly Entity[]
  readonly failure: unknown
}

export interface TextReader {
  /** What patterns find: certain, and without a model. */
  patternsIn(text: string): Promise<readonly Entity[]>
  /** All that counts at a threshold; undefined is that of the model. */
  read(text: string, threshold: number | undefined): Promise<ReadText>
}

type Spans = (text: string, options?: { readonly threshold?: number }) => Promise<readonly TextSpan[] & PartialCoverage>

type SearchPatterns = (text: string) => MaybePromise<readonly Entity[]>

interface Marked {
  readonly spans: readonly TextSpan[]
  readonly failure: unknown
}

/**
 * For one request. The built-in model is asked with its own threshold, because each kind has its own besides; a model that a
 * document binds is asked with that of the rule, on which depends what a span holds.
 */
export function createReader(spans: Spans, isBuiltIn: boolean, searchPatterns: SearchPatterns): TextReader {
  const search = onceEach(async (text: string) => searchPatterns(text))
  const patternsIn = onceEach(async (text: string) => keepPrivate(text, await search(text)))
  const askOnce = onceEach((threshold: number | undefined) =>
    onceEach((text: string): Promise<Marked> =>
      askWithoutData(text, ({ text: short, sourceSpan }) =>
        spans(short, threshold === undefined ? {} : { threshold }).then((marked) => ({
          spans: marked.map((span) => ({ ...span, ...sourceSpan(span) })),
          failure: marked.truncated,
        })),
      ).catch((failure: unknown) => ({ spans: [], failure })),
    ),
  )
  const toBuiltIn = onceEach(async (text: string): Promise<ReadText> => {
    const [patterns, { spans: marked, failure }] = await Promise.all([search(text), askOnce(undefined)(text)])
    return { entities: keepPrivate(text, mergeEntities(text, patterns, toFindings(text, marked))), failure }
  })
  const ofBound = async (text: string, threshold: number | undefined): Promise<ReadText> => {
    const [patterns, { spans: marked, failure }] = await Promise.all([patternsIn(text), askOnce(threshold)(text)])
    return { entities: mergeEntities(text, patterns, toEntities(marked)), failure }
  }
  const ofBuiltIn = async (text: string, threshold = 0): Promise<ReadText> => {
    const { entities, failure } = await toBuiltIn(text)
    return { entities: entities.filter(({ probability }) => probability >= threshold), failure }
  }
  return { patternsIn, read: isBuiltIn ? ofBuiltIn : ofBound }
}
