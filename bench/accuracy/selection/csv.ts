// Tables with a line of headings, as RFC 4180 has them.

import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"

export type Row = Readonly<Record<string, string>>

/** A `.csv.gz` file. Fields may have quotes, commas and line ends. */
export function readTable(path: string): readonly Row[] {
  const [headings = [], ...lines] = parse(gunzipSync(readFileSync(path)).toString("utf8"))
  return lines.map((fields) => Object.fromEntries(headings.map((heading, index) => [heading, fields[index] ?? ""])))
}

function parse(text: string): readonly (readonly string[])[] {
  const lines: string[][] = []
  let line: string[] = []
  // A field, and whether a comma or the end of the line follows it.
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/g)) {
    line.push(quoted?.replaceAll('""', '"') ?? plain ?? "")
    if (end === ",") continue
    if (line.length > 1 || line[0] !== "") lines.push(line)
    line = []
  }
  return lines
}
