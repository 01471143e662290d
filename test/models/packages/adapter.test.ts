import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { emptyFolder } from "../../fakes/hub.ts"
import { findAdapterBase } from "../../../ts/models/packages/adapter.ts"

const revision = "0".repeat(40)

function adapter(config: object): string {
  const folder = emptyFolder()
  writeFileSync(join(folder, "adapter_config.json"), JSON.stringify(config))
  return folder
}

const fetchBase = async (repository: string, commit: string): Promise<{ folder: string }> => ({
  folder: `/cache/${repository}/${commit}`,
})
const findBase = (folder: string, basePath?: string, adapters = true): Promise<string | undefined> =>
  findAdapterBase(folder, { basePath }, fetchBase, { adapters })

test("the base is fetched at the commit that the adapter pins", async () => {
  const folder = adapter({ base_model_name_or_path: "org/base", revision })
  expect(await findBase(folder)).toBe(`/cache/org/base/${revision}`)
})

test("a given base is taken as it is", async () => {
  const base = emptyFolder()
  expect(await findBase(adapter({}), base)).toBe(base)
  const missing = join(base, "missing")
  await expect(findBase(adapter({}), missing)).rejects.toThrow(
    `Cannot use --base-path ${missing}: there is no such folder`,
  )
})

test.each([
  [{ base_model_name_or_path: "org/base", revision: null }],
  [{ base_model_name_or_path: "org/base", revision: "main" }],
  [{ base_model_name_or_path: "/somebody/elses/folder", revision }],
  [{ revision }],
])("a base that %j does not pin has to be given", async (config) => {
  await expect(findBase(adapter(config))).rejects.toThrow(/does not pin its base model .* --base-path/)
})

test("a package that is no adapter needs no base, and takes none", async () => {
  const folder = emptyFolder()
  expect(await findBase(folder)).toBeUndefined()
  await expect(findBase(folder, folder)).rejects.toThrow(/is no adapter; leave the option out/)
})

test("a build that runs no adapters says so", async () => {
  await expect(findBase(adapter({ base_model_name_or_path: "org/base", revision }), undefined, false)).rejects.toThrow(
    /adapters are not supported yet/,
  )
})

test("a broken description is named", async () => {
  const folder = emptyFolder()
  writeFileSync(join(folder, "adapter_config.json"), "{")
  await expect(findBase(folder)).rejects.toThrow(/Cannot use .*adapter_config\.json/)
})
