// Matches fields of the request's `metadata`, which the client sends.

import {
  defineSignal,
  type Fact,
  type JsonValue,
  RtrError,
  section,
  type SignalInput,
  Type,
} from "../../kernel/index.ts"
import { utf8BytesOfShort } from "../_shared/text-size.ts"

const rule = Type.Object({
  key: Type.String({ minLength: 1, description: "Field of metadata" }),
  predicate: section({
    equals: Type.Optional(Type.String()),
    in: Type.Optional(Type.Array(Type.String(), { minItems: 1 })),
    exists: Type.Optional(Type.Boolean()),
  }),
})

/** More is a misuse of metadata, and the request is refused. */
const maxFields = 32
const maxKeyBytes = 128
const maxValueBytes = 1024

export default defineSignal({
  about: "Matches fields of the request's metadata: a value, one of several, or whether it is there",
  rule,
  refuses: true,
  check(rules, report) {
    const names = new Map<string, string>()
    rules.forEach(({ name, key, predicate }, index) => {
      const same = names.get(name.toLowerCase())
      if (same !== undefined && same !== name)
        report([index, "name"], `"${name}" is the name of another rule, "${same}", in other letters`)
      names.set(name.toLowerCase(), name)
      if (key.trim() !== key) report([index, "key"], "must not begin or end with a space")
      const given = Object.keys(predicate)
      if (given.length !== 1)
        report(
          [index, "predicate"],
          `must have exactly one of equals, in, exists; it has ${given.join(", ") || "none"}`,
        )
    })
  },
  setup(rules) {
    const tests = rules.map(({ name, key, predicate: { equals, in: several, exists } }) => {
      const values = several === undefined ? undefined : new Set(several)
      const holds = (value: string | undefined): boolean => {
        if (exists !== undefined) return exists === (value !== undefined)
        return value !== undefined && (values === undefined ? value === equals : values.has(value))
      }
      return { name, key, holds }
    })
    return {
      read(input) {
        const metadata = metadataOf(input)
        return tests.map(({ name, key, holds }): Fact => {
          const matched = holds(metadata.get(key))
          return { rule: name, state: matched ? "match" : "no_match", confidence: Number(matched) }
        })
      },
    }
  },
})

const none: ReadonlyMap<string, string> = new Map()

/** Throws for metadata over the limits: a rule that did not see all of it must not decide. */
function metadataOf({ request: { session, extensions } }: SignalInput): ReadonlyMap<string, string> {
  const given: JsonValue | undefined = session.metadata ?? extensions["metadata"]
  if (given === undefined || given === null) return none
  if (typeof given !== "object" || Array.isArray(given)) throw refused("must be an object of texts")
  const fields = Object.entries(given)
  if (fields.length > maxFields) throw refused(`has ${fields.length} fields; the most are ${maxFields}`)
  const metadata = new Map<string, string>()
  for (const [key, value] of fields) {
    if (key === "" || isLonger(key, maxKeyBytes)) throw refused(`has a key that is not 1 to ${maxKeyBytes} bytes long`)
    if (typeof value !== "string") throw refused("has a value that is no text")
    if (isLonger(value, maxValueBytes)) throw refused(`has a value of more than ${maxValueBytes} bytes`)
    metadata.set(key, value)
  }
  return metadata
}

const isLonger = (text: string, bytes: number): boolean => text.length > bytes || utf8BytesOfShort(text) > bytes

const refused = (what: string): RtrError => new RtrError("invalid_request", `metadata ${what}`, { path: ["metadata"] })
