// Every link between the pages of the repository leads to a file, and to a heading where it names one.

import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "../..")
const folders = ["docs", "bench", "examples", "models", "crates"]

test("links lead somewhere", () => {
  const pages = ["README.md", "AGENTS.md", ...folders.flatMap(pagesIn)]
  const broken = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), "utf8").replaceAll(/^```.*?^```$/gms, "")
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? "")
    return targets.filter((target) => !/^https?:/.test(target) && !leads(page, target)).map((to) => `${page} → ${to}`)
  })
  expect(pages.length).toBeGreaterThan(15)
  expect(broken).toEqual([])
})

function pagesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !/(^|\/)(fixtures|target|node_modules)\//.test(name))
    .map((name) => join(folder, name))
}

function leads(page: string, target: string): boolean {
  const [path = "", heading] = target.split("#")
  const file = path === "" ? join(root, page) : resolve(root, dirname(page), path)
  if (relative(root, file).startsWith("..") || !existsSync(file)) return false
  return heading === undefined || anchorsOf(readFileSync(file, "utf8")).has(heading)
}

/** Anchors as code hosts make them of headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading ?? "")
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .replaceAll(" ", "-"),
    ),
  )
}
