// Finds the values of a document that are secrets, by what their keys say. References such as `${NAME}` are none.

import type { DocumentPath } from "../error.ts"
import { reference } from "./environment.ts"
import { redacted } from "./redacted.ts"

/** A copy that may be printed: secrets are replaced, references to the environment stay as they are written. */
export function redactSecrets<Value>(document: Value): Value {
  return mapSecrets(document, (text) => withoutLiterals(text)) as Value
}

/** Where secrets are written out. Of `extra_headers` those count whose name or value says so. */
export function literalSecrets(document: unknown): readonly DocumentPath[] {
  const found: DocumentPath[] = []
  mapSecrets(document, (text, path) => {
    const isHeader = path.at(-2) === "extra_headers"
    if (withoutLiterals(text) !== text && (!isHeader || isSecretHeader(String(path.at(-1)), text))) found.push(path)
    return text
  })
  return found
}

const isSecretHeader = (name: string, value: string): boolean =>
  /authorization|(^|[-_])(api)?key$|token$|secret|cookie|passw|credential|signature/i.test(name) ||
  /^(bearer|basic|token) \S|^sk-|^(?=.*\d)(?=.*[a-z])[\w+/=.-]{24,}$|:\/\/[^\s/]*@/i.test(value)

type Replace = (text: string, path: DocumentPath) => string

function mapSecrets(root: unknown, replace: Replace): unknown {
  const walk = (node: unknown, path: DocumentPath, secret: boolean): unknown => {
    if (Array.isArray(node)) return node.map((item, index) => walk(item, [...path, index], secret))
    if (typeof node === "object" && node !== null)
      return Object.fromEntries(
        Object.entries(node).map(([key, item]) => [
          key,
          walk(item, [...path, key], isSecret(key, node, path.at(-1), secret)),
        ]),
      )
    if (!secret) return typeof node === "string" ? mapUrl(node, path, replace) : node
    // YAML reads a password of digits as a number.
    return typeof node === "string" || typeof node === "number" ? replace(String(node), path) : node
  }
  return walk(root, [], false)
}

/** Headers that tell a version or a form, and never a secret. */
const plainHeaders = /^((anthropic|openai|x-api|api)-(version|beta)|accept(-language)?|content-type|user-agent)$/i

/** Keys beside a secret that describe it. */
const descriptions = new Set(["name", "env", "role", "roles", "id", "type", "description", "models", "listeners"])

function isSecret(key: string, node: object, section: string | number | undefined, around: boolean): boolean {
  // Most names do not tell, so what is printed has none of their values.
  if (section === "extra_headers") return !plainHeaders.test(key)
  // Names that somebody gave to groups of labels of a knowledge base, and the labels, say nothing about their values.
  if (section === "groups" || section === "label_thresholds") return false
  const { name } = node as { readonly name?: unknown }
  if (key === "value" && typeof name === "string" && isSecretName(name)) return true
  if (isSecretName(key)) return true
  return around && !descriptions.has(key) && !isReferenceName(wordsOf(key))
}

const secretWords =
  /^(secrets?|passwords?|passwd|passphrases?|credentials?|apikeys?|authorization|cookie|token|signature)$/
/** `max_tokens` counts; these tokens are let in. */
const keyOwners =
  /^(api|access|private|encryption|signing|account|subscription|auth|shared|master|admin|bearer|refresh)$/

/** Whether a key or the name of a header says that its value is a secret. */
function isSecretName(name: string): boolean {
  const words = wordsOf(name)
  if (isReferenceName(words)) return false
  const last = words.at(-1) ?? ""
  return (
    words.some((word) => secretWords.test(word)) ||
    name === "tokens" ||
    (/^(keys?|tokens)$/.test(last) && keyOwners.test(words.at(-2) ?? ""))
  )
}

const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)

/** `api_key_env` and `password_file` say where a secret is. */
const isReferenceName = (words: readonly string[]): boolean =>
  /^(env|file|path|header|prefix|name|names|mode)$/.test(words.at(-1) ?? "")

/** The credentials of a URL: `user:password@`, and parameters such as `?api_key=`. */
function mapUrl(text: string, path: DocumentPath, replace: Replace): string {
  if (!text.includes("://")) return text
  const mapped = (value: string): string => (value === "" ? value : replace(value, path))
  return text
    .replace(/(:\/\/)([^\s/?#@:]*)(?::([^\s/?#]*))?@/g, (_, start: string, user: string, password?: string) =>
      password === undefined ? `${start}${mapped(user)}@` : `${start}${user}:${mapped(password)}@`,
    )
    .replace(/([?&])([^=&#\s]+)=([^&#\s]+)/g, (whole, start: string, name: string, value: string) =>
      isSecretName(name) || /^(key|sig)$/i.test(name) ? `${start}${name}=${mapped(value)}` : whole,
    )
}

/** The text with every part replaced that is neither a reference nor the word before a key. A default of a reference is one. */
function withoutLiterals(text: string): string {
  const [, scheme = "", key = ""] = /^((?:bearer|basic|token)\s+)?([^]*)$/i.exec(text) ?? []
  let result = scheme
  let end = 0
  const addLiteral = (literal: string): void => {
    result += literal.trim() === "" ? literal : redacted
  }
  for (const match of key.matchAll(reference)) {
    const [whole, braced, operator, fallback = ""] = match
    // Neither a dollar sign nor a template stands for a variable.
    if (whole === "$$" || whole.startsWith("{")) continue
    addLiteral(key.slice(end, match.index))
    end = match.index + whole.length
    result += fallback === "" ? whole : `\${${braced}${operator}${redacted}}`
  }
  addLiteral(key.slice(end))
  return result
}
