// The tables of the size bench.

import { markdownTable, showSpread } from "../_shared/markdown-table.ts"
import type { Result } from "../_shared/results.ts"
import type { BundleFigures, Bytes } from "./bundle.ts"
import type { Memory } from "./memory.ts"
import type { StartUpFigures } from "./start-up.ts"

export interface SizeFigures {
  readonly bundle?: BundleFigures
  readonly startUp?: StartUpFigures
  readonly memory?: Readonly<Record<string, Memory>>
}

export function sizeReport(result: Result): string {
  const { bundle, startUp, memory } = result.figures as SizeFigures
  return [
    "## Size",
    ...(bundle === undefined ? [] : bundleTable(bundle)),
    ...(startUp === undefined ? [] : startUpTables(startUp)),
    ...(memory === undefined ? [] : memoryTable(memory)),
  ].join("\n\n")
}

function bundleTable({ edge, kernel, kernelOwn, withModules }: BundleFigures): readonly string[] {
  const row = (name: string, { minified, gzip }: Bytes): readonly string[] => [
    name,
    (minified / 1000).toFixed(1),
    (gzip / 1000).toFixed(1),
  ]
  return [
    "The kernel, bundled",
    markdownTable(
      ["", "minified kB", "gzip kB"],
      [
        row("worker with the chat route, one dialect, one provider and the rule signals", edge),
        row("the kernel's public interface with its dependencies", kernel),
        row("the kernel's own code", kernelOwn),
        row("with every module", withModules),
      ],
    ),
  ]
}

function startUpTables({ milliseconds, ratios }: StartUpFigures): readonly string[] {
  const rows = (figures: Readonly<Record<string, Parameters<typeof showSpread>[0]>>): readonly (readonly string[])[] =>
    Object.entries(figures).map(([name, figure]) => [name, showSpread(figure)])
  return [
    "Start-up in milliseconds, to the end of a command or to an open port: median (lowest to highest)",
    markdownTable(["", "ms"], rows(milliseconds)),
    markdownTable(["", "ratio"], rows(ratios)),
  ]
}

function memoryTable(memory: Readonly<Record<string, Memory>>): readonly string[] {
  return [
    "Resident memory, MiB",
    markdownTable(
      ["", "idle", "after load"],
      Object.entries(memory).map(([name, { idleMib, afterLoadMib }]) => [name, String(idleMib), String(afterLoadMib)]),
    ),
  ]
}
