// What was measured, as a table for terminals, as Markdown, or as JSON.

import { availableParallelism, cpus } from "node:os"
import { table } from "../print.ts"
import type { Measurement } from "./measure.ts"

export const formats = ["table", "markdown", "json"] as const
export type Format = (typeof formats)[number]

export function showMeasurement(measurement: Measurement, format: Format): string {
  if (format === "json") return JSON.stringify(toJson(measurement), null, 2)
  const { rows } = measurement
  const cells = rows.map(({ tokens, connections, requestsPerSecond, tokensPerSecond, p50Ms, p99Ms, forwardMs }) => [
    tokens.toFixed(0),
    String(connections),
    figure(requestsPerSecond),
    figure(tokensPerSecond),
    figure(p50Ms),
    figure(p99Ms),
    figure(forwardMs),
  ])
  const shown = format === "markdown" ? markdownTable(header, cells) : table(header, cells)
  return [what(measurement), shown, ...notes(measurement)].join("\n\n")
}

const header = ["Tokens", "Connections", "Requests/s", "Tokens/s", "p50 ms", "p99 ms", "Forward ms"]

/** Three digits are as many as a measurement is worth. */
function figure(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toPrecision(3)
}

function what({ card, path }: Measurement): string {
  const threads = card.threads === undefined ? "" : ` with ${card.threads} threads`
  return (
    `${card.id} (${card.family}) at ${path}, profile ${card.profile}, ${card.engine} on ${card.device}${threads}; ` +
    `${processor()}, ${availableParallelism()} processors`
  )
}

const processor = (): string => cpus()[0]?.model.trim() ?? "unknown processor"

function notes(measurement: Measurement): readonly string[] {
  const { card, readyMs, memoryReady, memoryAfter, leastTokens, raisedLengths, cutLengths } = measurement
  const memory =
    memoryReady === undefined || memoryAfter === undefined
      ? ""
      : `; resident memory ${memoryReady.now} MiB when ready, ${memoryAfter.now} MiB after the load, ${memoryAfter.peak} MiB at most`
  const { served, reason } = card.profile_report ?? {}
  const changed = (lengths: readonly number[], how: string): string =>
    `${lengths.join(", ")} ${lengths.length === 1 ? "was" : "were"} ${how} to that.`
  return [
    `Ready after ${(readyMs / 1000).toFixed(1)} s${memory}.`,
    raisedLengths.length > 0 && `The shortest request takes ${leastTokens} tokens; ${changed(raisedLengths, "raised")}`,
    cutLengths.length > 0 &&
      `The model reads ${card.limits.truncate_tokens} tokens at once; ${changed(cutLengths, "cut")}`,
    reason !== undefined && `Served with ${served}: ${reason}.`,
  ].filter((note) => note !== false)
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`
  return [line(head), line(head.map(() => "---:")), ...rows.map(line)].join("\n")
}

function toJson({ card, path, readyMs, memoryReady, memoryAfter, leastTokens, rows }: Measurement): object {
  return {
    model: card.id,
    family: card.family,
    path,
    profile: card.profile,
    engine: card.engine,
    device: card.device,
    threads: card.threads ?? null,
    processor: processor(),
    processors: availableParallelism(),
    ready_ms: Math.round(readyMs),
    memory_mib: { ready: memoryReady?.now ?? null, after: memoryAfter?.now ?? null, peak: memoryAfter?.peak ?? null },
    min_tokens: leastTokens,
    max_tokens: card.limits.truncate_tokens,
    rows: rows.map((row) => ({
      tokens: row.tokens,
      connections: row.connections,
      requests_per_second: row.requestsPerSecond,
      tokens_per_second: row.tokensPerSecond,
      p50_ms: row.p50Ms,
      p99_ms: row.p99Ms,
      forward_ms: row.forwardMs,
    })),
  }
}
