import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { expect, onTestFinished, test } from "vitest"
import { readTable } from "../../../../bench/accuracy/selection/csv.ts"

test("fields may have quotes, commas and line ends, and may be empty", () => {
  const folder = mkdtempSync(join(tmpdir(), "rtr-csv-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, "table.csv.gz")
  writeFileSync(path, gzipSync('id,text,last\n1,"a, ""b""\nc",\r\n2,plain,9\n'))
  expect(readTable(path)).toEqual([
    { id: "1", text: 'a, "b"\nc', last: "" },
    { id: "2", text: "plain", last: "9" },
  ])
})
