// Characters that show nothing and stand where blanks should be. Models of backends see two words there, tokenizers of guards one.

import { type Segment, segmentsOf } from "./segment.ts"

const isPlain = /^[\t\n\r -~]*$/
/** Within Latin words alone: other scripts need some of these characters. */
const unseen = /(?<=[\p{sc=Latin}\p{N}])(?:(?![\t\n\v\f\r\u0085])[\p{C}\u034f\ufe00-\ufe0f])+(?=[\p{sc=Latin}\p{N}])/gu
/** They mean blanks. Within words they mean nothing, and the text is read without them anyway. */
export const unseenBlanks = (text: string): readonly Segment[] =>
  isPlain.test(text) ? [] : segmentsOf(text, unseen, () => " ")
