// Keys and tokens of well-known services, by the beginnings that their makers gave them so that scanners find them.

import type { TextRange, Work } from "../../../../../kernel/index.ts"
import { findPrivateKeyBlocks } from "./private-key-block.ts"
import { decodedBase64, isDrawnOfLetters, isDrawnSecret } from "./secret-value.ts"
import { forms, shortBeginning } from "./service-key-forms.ts"
import { addFree, findChecked } from "../text-range.ts"

const candidate = new RegExp(`(?<![\\w-])(?:${forms.join("|")})(?![\\w-])`, "g")

export function* findServiceKeys(text: string): Work<readonly TextRange[]> {
  const keys = yield* findChecked(text, candidate, ({ 0: found }) => isDrawn(found))
  return addFree(yield* findPrivateKeyBlocks(text), keys)
}

/**
 * Documentation writes `sk-your-api-key-goes-here` and `ghp_xxxxxxxxxxxx`; what was drawn has many signs, among them digits.
 * Only Hugging Face draws from letters alone.
 */
const isDrawn = (key: string): boolean =>
  new Set(key).size >= 10 &&
  (/\d/.test(key) || isDrawnToken(key)) &&
  (!shortBeginning.test(key) || isDrawnSecret(key.replace(shortBeginning, ""))) &&
  !/example|your[_-]|xxxx|placeholder|123456789|abcdefgh/i.test(key) &&
  (!/^[MNO][\w-]{22,27}\./.test(key) || isOfBot(key))

/** 34 letters, in which so many consonants stand in a row as in no words. */
const isDrawnToken = (key: string): boolean =>
  key.startsWith("hf_") &&
  (isDrawnOfLetters(key.slice(3)) || (key.length === 37 && /[bcdfghjklmnpqrstvwxz]{5}/i.test(key)))

/** Digits in base64. */
const isOfBot = (key: string): boolean =>
  /^\d{16,20}$/.test(decodedBase64(key.slice(0, key.indexOf(".")).replaceAll("-", "+").replaceAll("_", "/")) ?? "")
