// The files of a page of the documentation, written as they stand there into a folder "where rtr is installed".

import { spawnSync } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect } from "vitest"
import { temporaryFolder } from "./_processes.ts"

const root = join(import.meta.dirname, "../..")

/** The text of `docs/NAME`, and its files by name. */
export function readPage(name: string): { readonly text: string; readonly files: ReadonlyMap<string, string> } {
  const text = readFileSync(join(root, "docs", name), "utf8")
  const blocks = text.matchAll(/```\w+ (\S+)\n(.*?)```/gs)
  return { text, files: new Map([...blocks].map(([, file = "", content = ""]) => [file, content])) }
}

/** A folder with these files, rtr, and these packages of the checkout. */
export function installedFolder(files: Iterable<readonly [string, string]>, packages: readonly string[]): string {
  const folder = temporaryFolder()
  for (const [name, text] of files) writeFileSync(join(folder, name), text)
  writeFileSync(join(folder, "package.json"), '{"type":"module"}')
  for (const name of packages) {
    mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true })
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name))
  }
  // Node does not strip types inside node_modules, so the folder links to this checkout.
  symlinkSync(root, join(folder, "node_modules/rtr"))
  return folder
}

/** Checks the types of the folder's files, with the options that docs/plugins.md names. */
export function typeCheck(folder: string): void {
  const compilerOptions = {
    module: "nodenext",
    target: "es2024",
    lib: ["es2024", "dom", "dom.iterable"],
    types: ["node"],
    strict: true,
    noEmit: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }))
  const { status, stdout } = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "."], {
    cwd: folder,
    encoding: "utf8",
  })
  expect([status, stdout]).toEqual([0, ""])
}
