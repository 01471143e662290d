// Messages of thrown errors for the log. What a module throws for a request may quote it, so only those words are kept that
// stand in the source file that threw it, or that JavaScript itself says. The rest of a message is content. What the kernel says
// about a module is told whole.

import { readFileSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { errorCodes, isRtrError, moduleFaultText } from "rtr"

export interface ToldError {
  readonly name: string
  readonly message: string
  /** `file:line:column` of the place that threw. */
  readonly at: string | undefined
  readonly stack: readonly string[]
}

export function toldError(error: unknown): ToldError {
  const fault = moduleFaultText(error)
  // The places are the kernel's, which is not what has to change.
  if (fault !== undefined) return { name: "RtrError", message: fault, at: undefined, stack: [] }
  if (!(error instanceof Error)) return { name: typeof error, message: removed, at: undefined, stack: [] }
  const stack = framesOf(error)
  const place = stack.map(placeOf).find((found) => found !== undefined)
  const name = /^[A-Za-z_$][\w$]{0,63}$/.test(error.name) ? error.name : "Error"
  const message = `${safeMessage(error.message, place?.file)}${isOfUnknownCode(error) ? unknownCode : ""}`
  return { name, message, at: place?.at, stack: stack.slice(0, 10) }
}

/** Such an error counts as a bug, and its client gets `internal_error`. */
const isOfUnknownCode = (error: Error): boolean => error.name === "RtrError" && !isRtrError(error)
const unknownCode = ` (its code is unknown; there are ${Object.keys(errorCodes).join(", ")})`

const removed = "[…]"
const maxFileBytes = 1024 * 1024
const maxMessage = 300

/** Words, and characters of other scripts, as they stand in messages and in sources. */
const word = /[\p{L}\p{N}\p{M}_$]+/gu

function safeMessage(message: string, file: string | undefined): string {
  const known = file === undefined ? ofTheLanguage : wordsOf(file)
  const isKnown = (text: string): boolean => ofTheLanguage.has(text.toLowerCase()) || known.has(text)
  return (
    message
      .slice(0, 2000)
      .replace(word, (text) => (isKnown(text) ? text : removed))
      // What is left between words is punctuation; signs beyond ASCII may be content.
      .replaceAll(/[^\x20-\x7e…\p{L}\p{N}\p{M}]+/gu, " ")
      // A word or two between removed ones belong to what was quoted.
      .replaceAll(/\[…\](?:(?:[^[\]]{0,16}|\S{0,80})\[…\])+/g, removed)
      .replaceAll(/\[…\][^\s\p{L}\p{N}[]+/gu, removed)
      .replaceAll(/ {2,}/g, " ")
      .trim()
      .slice(0, maxMessage)
  )
}

const sources = new Map<string, ReadonlySet<string>>()

/** The words of a source file. Few files throw, and each is read once. */
function wordsOf(file: string): ReadonlySet<string> {
  const read = sources.get(file)
  if (read !== undefined) return read
  let words: ReadonlySet<string> = new Set()
  try {
    if (statSync(file).size <= maxFileBytes) words = new Set(readFileSync(file, "utf8").match(word))
  } catch {
    // The file is gone or is none; its message stays out.
  }
  sources.set(file, words)
  return words
}

/** The frames behind the message, which may have lines that look like frames. */
function framesOf(error: Error): readonly string[] {
  const { stack = "", message } = error
  const start = message === "" ? 0 : stack.lastIndexOf(message)
  return stack
    .slice(start < 0 ? 0 : start + message.length)
    .split("\n")
    .filter((line) => frame.test(line))
    .map((line) => line.trim())
}

const frame =
  /^\s+at (?:(?:async |new )*[\w$.<>#[\] ]{1,200} \()?((?:file:\/\/|node:|\/|[A-Za-z]:\\)[^\s()]+:\d+:\d+|<anonymous>)\)?$/

function placeOf(text: string): { readonly file: string; readonly at: string } | undefined {
  const at = /((?:file:\/\/|\/|[A-Za-z]:\\)[^\s()]+:\d+:\d+)\)?$/.exec(text)?.[1]
  if (at === undefined) return undefined
  const path = at.replace(/:\d+:\d+$/, "").replace(/\?.*$/, "")
  try {
    return { file: path.startsWith("file://") ? fileURLToPath(path) : path, at }
  } catch {
    return undefined
  }
}

/** Words of the messages that V8 makes. */
const ofTheLanguage: ReadonlySet<string> = new Set(
  (
    "a an and are be before by cannot could for from get has have in into is must no not of on or out set than that the to too was with " +
    "access argument arguments array assignment at bigint boolean call callable called circular class configurable constant constructor " +
    "convert create date defined delete descriptor empty expected extensible failed false flags function greater index infinite infinity " +
    "initial initialization input instance integer invalid iterable iterator json length less map maximum member method missing nan new " +
    "null number object only operator out own positive promise properties property prototype proxy range read reading reduce regexp regular " +
    "resolve resolved result return returned run setting size stack string structure super symbol target this token true type undefined " +
    "unexpected unterminated url valid value values variable weakmap weakset without yield exceeded end expression position line column"
  ).split(" "),
)
