// Ordinary texts in which an attack can be planted: prose, Markdown, a log, and files of packages.

import type { Prose } from "../guards/prose.ts"
import type { Documents } from "./documents.ts"

/** Sentences with the space behind them, or lines with their ends. Joined, they are the text. */
export type Parts = readonly string[]

export interface Writer {
  /** So many words, at most a line more. */
  write(words: number): Parts
  /** An attack as it stands in such a text. */
  plant(attack: string): string
}

const wordsOf = (text: string): number => text.match(/\S+/g)?.length ?? 0

/** Lines until there are enough words. */
function linesOf(words: number, nextLine: () => string): Parts {
  const lines: string[] = []
  for (let count = 0; count < words; count += wordsOf(lines.at(-1) ?? "")) lines.push(`${nextLine()}\n`)
  return lines
}

/** No sentence is longer. */
const wordsOfSentence = 60
/** Behind a sentence and its space. */
const betweenSentences = /(?<=[.?!]\s+)(?=\S)/

export type Kind = "prose" | "markdown" | "log" | "file"
export type Writers = Readonly<Record<Kind, Writer>>

export function createWriters(prose: Prose, documents: Documents, random: () => number): Writers {
  const whole = (below: number): number => Math.floor(random() * below)
  const oneOf = (choices: readonly string[]): string => choices[whole(choices.length)] ?? ""
  const sentence = (): string => (prose.ofWords(wordsOfSentence).split(betweenSentences)[0] ?? "").trimEnd()
  const markdownLine = (): string =>
    [
      () => `## ${prose.ofWords(4)}\n`,
      () => `- ${sentence()}`,
      () => `- [${oneOf(["x", " "])}] ${sentence()}`,
      () => `${whole(9) + 1}. ${sentence()}`,
      () => `| ${prose.ofWords(3)} | ${whole(900)} | ${sentence()} |`,
      () => `> ${sentence()}`,
      () => `${sentence()} ${sentence()} ${sentence()}\n`,
    ][whole(7)]?.() ?? ""
  let seconds = 1_770_000_000
  const stamp = (): string => new Date((seconds += whole(40)) * 1000).toISOString()
  const logLine = (): string => {
    const place = `${stamp()} ${oneOf(["INFO", "INFO", "INFO", "DEBUG", "WARN", "ERROR"])} ${oneOf(["web", "queue", "mailer", "search", "billing"])}:`
    const message = [
      () => `request ${whole(99_999)} to /${oneOf(["orders", "users", "search", "files"])} took ${whole(900)} ms`,
      () => `job ${whole(9999)} finished after ${whole(60)} s, ${whole(500)} rows written`,
      () => `cache holds ${whole(9999)} entries, ${whole(99)} percent of them are fresh`,
      () => `retry ${whole(5)} of 5: the connection to host-${whole(40)} was closed`,
      () => `note of user ${whole(9999)}: ${sentence()}`,
    ][whole(5)]?.()
    return `${place} ${message ?? ""}`
  }
  return {
    prose: {
      write: (words) => `${prose.ofWords(words)}\n\n`.split(betweenSentences),
      plant: (attack) => `${attack} `,
    },
    markdown: { write: (words) => linesOf(words, markdownLine), plant: (attack) => `- ${attack}\n` },
    file: { write: (words) => documents.ofWords(words), plant: (attack) => `${attack}\n` },
    log: {
      write: (words) => linesOf(words, logLine),
      plant: (attack) => `${stamp()} INFO web: note of user ${whole(9999)}: ${attack}\n`,
    },
  }
}
