// What is wrong with the text of a document, in the words of a configuration and not in those of the parser.

import type { YAMLError } from "yaml"
import type { Position, Problem } from "../../schema/problem.ts"

type Locate = (offset: number) => Position

/**
 * Behind a reference without quotes inside braces or brackets, and behind a part of a template, nothing is read as it is meant, so
 * the rest is not told.
 */
export function syntaxProblems(errors: readonly YAMLError[], text: string, position: Locate): readonly Problem[] {
  for (const [index, { pos }] of errors.entries()) {
    const [at] = pos
    const misread = unquotedAt(text, at) ?? templateAt(text, at)
    if (misread === undefined) continue
    const [message, offset] = misread
    return [
      ...errors.slice(0, index).map((error) => toProblem(error, text, position)),
      { path: [], code: "invalid", message, position: position(offset) },
    ]
  }
  return errors.map((error) => toProblem(error, text, position))
}

type Misread = readonly [message: string, offset: number]

function unquotedAt(text: string, at: number): Misread | undefined {
  if (text[at] !== "{" || text[at - 1] !== "$") return undefined
  const name = /^\$\{([A-Za-z_]\w*)/.exec(text.slice(at - 1, at + 199))?.[1] ?? "NAME"
  return [
    `has \${${name}} without quotes inside { } or [ ]; write "\${${name}}", and every other one there too`,
    at - 1,
  ]
}

export const templateMessage =
  "has {{ … }} of a template, which is rendered before rtr reads it: validate what helm template or the like prints"

/** Whether a map in braces that begins here has another one around it, as `{{ .Values.x }}` is read. */
export const isTemplate = (text: string, at: number): boolean => text[at] === "{" && text[at - 1] === "{"

/** Longer lines are no configuration that somebody has written. */
const maxLine = 1000

/** An action of a template on the line of an error, outside of quotes and comments. */
function templateAt(text: string, at: number): Misread | undefined {
  const start = text.lastIndexOf("\n", at - 1) + 1
  const [before] = /^[^"'#\n]*?(?=\{\{)/.exec(text.slice(start, start + maxLine)) ?? []
  return before === undefined ? undefined : [templateMessage, start + before.length]
}

export const tooDeep = "is nested too deeply to be read"

function toProblem({ code, message, pos: [at] }: YAMLError, text: string, position: Locate): Problem {
  return {
    path: [],
    code: "invalid",
    message: inOwnWords(code, message, text.slice(at, at + maxLine)),
    position: position(at),
  }
}

function inOwnWords(code: YAMLError["code"], message: string, rest: string): string {
  // The parser calls itself for each level.
  if (/call stack|stack overflow/i.test(message)) return tooDeep
  // What stands there may be a secret, so that it is not quoted.
  if (/^(MULTILINE_IMPLICIT_KEY|MISSING_CHAR)$/.test(code) && /^[A-Za-z_][\w-]*:[^\s:/]/.test(rest))
    return "has no space behind a colon; write key: value"
  return withoutText(message)
}

/** Where the parser quotes what it stumbled over, the quote may be a secret; the position tells enough. */
function withoutText(message: string): string {
  return message.replace(/^(Not a YAML token|Block scalar header includes extra characters|Unresolved tag): .*$/s, "$1")
}
