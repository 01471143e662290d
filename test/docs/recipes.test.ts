// docs/recipes.md against the router: its document is valid, and its table is where requests go.

import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { chat, createFakeKernel } from "../fakes/kernel.ts"

const page = readFileSync(join(import.meta.dirname, "../../docs/recipes.md"), "utf8")
const yaml = /```yaml\n(.*?)```/s.exec(page)?.[1] ?? ""
const rows = [...page.matchAll(/^\| `(\S+)` \| (.+?) \| (\S+) \| (\S+) \| (\S+) \|$/gm)].map(
  ([, asked = "", prompt = "", recipe = "", decision = "", model = ""]) => ({ asked, prompt, recipe, decision, model }),
)

test("requests go where the table says", async () => {
  const kernel = await createFakeKernel({ config: yaml })
  onTestFinished(() => kernel.close())
  expect(rows).toHaveLength(4)
  for (const { asked, prompt, recipe, decision, model } of rows) {
    const { headers } = await kernel.fetch(chat(prompt, { model: asked }))
    expect({
      recipe: headers.get("x-rtr-selected-recipe"),
      decision: headers.get("x-rtr-selected-decision") ?? "–",
      model: headers.get("x-rtr-selected-model"),
    }).toEqual({ recipe, decision, model })
  }
})
