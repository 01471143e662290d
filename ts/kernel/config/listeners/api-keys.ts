// `listeners[].api_keys[]`: keys that a client can send and that tell one client from another. No message shows a key.

import type { DocumentPath } from "../../error.ts"
import { invalid, type Problem } from "../../schema/problem.ts"
import { isHeaderValue, notSendable } from "../header-text.ts"

type Entry = string | { readonly key: string; readonly name: string }

export function checkKeys(entries: readonly Entry[], at: DocumentPath): readonly Problem[] {
  const first = new Map<string, number>()
  return entries.flatMap((entry, index) => {
    const isText = typeof entry === "string"
    const key = isText ? entry : entry.key
    const path = isText ? [...at, index] : [...at, index, "key"]
    // The schema reports one that is empty.
    if (key === "") return []
    const earlier = first.get(key)
    if (earlier === undefined) first.set(key, index)
    return [
      ...(isHeaderValue(key) ? [] : [invalid(path, notSendable)]),
      ...(earlier === undefined
        ? []
        : [invalid(path, `is the same key as api_keys[${earlier}]; one key has one name, so keep one of them`)]),
      ...(!isText && entry.name.includes(key)
        ? [invalid([...at, index, "name"], "must not hold the key: logs have the name")]
        : []),
    ]
  })
}
