// The strict grammar of HTTP/1.1 messages that both directions share (RFC 9112).

/** Raised for bytes that are not HTTP, or that two readers could read in two ways. */
export class ProtocolError extends Error {}

const token = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
const text = "[\\t\\x20-\\x7e\\x80-\\xff]*"

const namePattern = new RegExp(`^${token}$`)
const valuePattern = new RegExp(`^${text}$`)

/** Few names come again and again. */
const knownNames = new Set<string>()
const maxKnownNames = 500

export function isHeaderName(name: string): boolean {
  if (knownNames.has(name)) return true
  if (!namePattern.test(name)) return false
  if (knownNames.size < maxKnownNames) knownNames.add(name)
  return true
}

export const isHeaderValue = (value: string): boolean => valuePattern.test(value)

/** No line folding, no space before the colon, and line ends of two characters only: other readings differ between programs. */
const field = new RegExp(`(${token}):(${text})\\r\\n`, "y")

const lowered = new Map<string, string>()

function toLowerName(name: string): string {
  let lower = lowered.get(name)
  if (lower === undefined) {
    lower = name.toLowerCase()
    if (lowered.size < maxKnownNames) lowered.set(name, lower)
  }
  return lower
}

/** Header lines, each with its line end, as names in lower case and values in turn. Throws `ProtocolError`. */
export function readFields(lines: string, start: number): string[] {
  const list: string[] = []
  field.lastIndex = start
  while (field.lastIndex < lines.length) {
    const found = field.exec(lines)
    if (found === null) throw new ProtocolError("a header line is not well-formed")
    list.push(toLowerName(found[1] as string), (found[2] as string).trim())
  }
  return list
}

/** The value of a header; repeated ones are joined with a comma. */
export function valueOf(list: readonly string[], name: string): string | undefined {
  let value: string | undefined
  for (let at = 0; at < list.length; at += 2)
    if (list[at] === name) value = value === undefined ? list[at + 1] : `${value}, ${list[at + 1]}`
  return value
}

/** A length that is digits only and fits a number. Throws `ProtocolError`. */
export function readLength(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new ProtocolError("the content length is no number")
  return Number(value)
}

/** True when the comma-separated list holds the token. */
export const hasToken = (value: string, wanted: string): boolean =>
  value.split(",").some((one) => one.trim().toLowerCase() === wanted)
