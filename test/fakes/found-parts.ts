// What a search of personal data marks in a text, as the words that stand there.

import type { TextRange, Work } from "rtr"
import { finish } from "../../ts/kernel/host/work.ts"

/** Makes the function that gives the marked parts of a text, in the order of the search. */
export const partsBy =
  (find: (text: string) => Work<readonly TextRange[]>): ((text: string) => readonly string[]) =>
  (text) =>
    finish(find(text)).map(({ start, end }) => text.slice(start, end))
