// A document with the places of its values, whatever it was read from.

import type { DocumentPath } from "../error.ts"
import type { Position } from "../schema/problem.ts"

/** A document of more bytes is not configuration; reading it would only cost memory. */
export const maxDocumentBytes: number = 8 * 1024 * 1024

export interface SourceDocument {
  /** Plain JSON value of the document. */
  readonly value: unknown
  /** Work on it is done in slices, so that the requests of a router that reads it are served meanwhile. */
  readonly isLong?: boolean
  /** Where the value at a path stands, or its nearest ancestor when it is not there. */
  locate(path: DocumentPath): Position | undefined
  /** A plain value as it is written, such as `2e5`; undefined for one that was read from no text. */
  textAt?(path: DocumentPath): string | undefined
}

/** Wraps a value that is no file, such as an object passed to `createKernel`. */
export function wrapDocument(value: unknown): SourceDocument {
  return { value, locate: () => undefined }
}
