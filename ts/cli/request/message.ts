// The message of a command: the words behind it, what stands on standard input, or both.

import { fstatSync } from "node:fs"
import type { Readable } from "node:stream"
import { printWarning } from "../print.ts"
import { UsageError } from "../program.ts"

export interface StandardInput {
  /** `other` has nothing that somebody meant to send, such as `/dev/null`. */
  readonly kind: "terminal" | "file" | "pipe" | "other"
  readonly stream: Readable
  /** How long a pipe may stay silent beside words. */
  readonly silentMs: number
  readonly warn?: (text: string) => void
}

/**
 * The words and behind a blank line what is piped in; `-` as last word waits for standard input however long it takes. Without
 * it, a pipe that nobody writes holds nothing up: shells of CI and `ssh` hand down pipes that nobody writes or closes.
 */
export async function readMessage(
  words: readonly string[],
  prompt: string | undefined,
  input: StandardInput = standardInput(),
): Promise<string> {
  if (prompt !== undefined && words.length > 0)
    throw new UsageError("Give the message as argument or as --prompt, not both")
  const given = prompt === undefined ? words : [prompt]
  const waits = given.at(-1) === "-"
  const text = (waits ? given.slice(0, -1) : given).join(" ")
  // A terminal that was asked nothing would only wait.
  const inputAlone = given.length === 0 ? input.kind !== "terminal" : waits && given.length === 1
  const added = inputAlone || waits ? await readAll(input.stream) : await readBeside(given, input)
  // The line break at the end is the shell's.
  const message = [text, added.replace(/\r?\n$/, "")].filter((part) => part.trim() !== "").join("\n\n")
  if (message === "")
    throw new UsageError(
      inputAlone
        ? "Cannot send an empty message: standard input has no text"
        : 'There is no message; write it behind the command in quotes, as in "What is a monad?", or pipe it in',
    )
  return message
}

async function readBeside(given: readonly string[], input: StandardInput): Promise<string> {
  const { kind, stream, silentMs, warn = printWarning } = input
  if (given.length === 0 || kind === "terminal" || kind === "other") return ""
  if (kind === "file") return readAll(stream)
  let silent = false
  const timer = setTimeout(() => {
    silent = true
    stream.destroy()
  }, silentMs)
  try {
    return await readAll(stream, () => clearTimeout(timer))
  } catch (error) {
    if (!silent) throw error
    warn(
      `Nothing came on standard input within ${silentMs / 1000} s, so the message goes without it. ` +
        "Write - behind the message to wait for it, or </dev/null behind the command when there is none",
    )
    return ""
  } finally {
    clearTimeout(timer)
  }
}

async function readAll(stream: Readable, onPiece?: () => void): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of stream) {
    onPiece?.()
    pieces.push(piece as Buffer)
  }
  return Buffer.concat(pieces).toString("utf8")
}

const standardInput = (): StandardInput => ({ kind: kindOfInput(), stream: process.stdin, silentMs: 3000 })

function kindOfInput(): StandardInput["kind"] {
  if (process.stdin.isTTY === true) return "terminal"
  try {
    const info = fstatSync(0)
    if (info.isFile()) return "file"
    return info.isFIFO() || info.isSocket() ? "pipe" : "other"
  } catch {
    return "other"
  }
}
