// The codes that docs/plugins.md lists for plugins that refuse, against those that there are.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { errorCodes } from "rtr"
import { expect, test } from "vitest"

test("docs/plugins.md lists every code with its status", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/plugins.md"), "utf8")
  const table = page.slice(page.indexOf("| Status | Codes |"), page.indexOf("**Facts.**"))
  const listed = [...table.matchAll(/^\| (\d+) \| (.+) \|$/gm)].flatMap(([, status, codes = ""]) =>
    [...codes.matchAll(/`(\w+)`/g)].map(([, code]) => [code, Number(status)] as const),
  )
  expect(Object.fromEntries(listed)).toEqual(errorCodes)
})
