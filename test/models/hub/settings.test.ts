import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { emptyFolder } from "../../fakes/hub.ts"
import { type HubOptions, readHubSettings } from "../../../ts/models/hub/settings.ts"

const read = (
  environment: Readonly<Record<string, string>>,
  options: HubOptions = {},
): ReturnType<typeof readHubSettings> =>
  readHubSettings({ environment: { HOME: "/home/a", ...environment }, ...options })

test.each([
  [{}, "/home/a/.cache/huggingface/hub"],
  [{ XDG_CACHE_HOME: "/x" }, "/x/huggingface/hub"],
  [{ XDG_CACHE_HOME: "/x", HF_HOME: "/h" }, "/h/hub"],
  [{ HF_HOME: "/h", HF_HUB_CACHE: "/c" }, "/c"],
  [{ HF_HUB_CACHE: "/c", HUB_CACHE: "/d" }, "/d"],
  [{ HUB_CACHE: "/d", RTRUN_CACHE_DIR: "/e" }, "/e"],
])("the cache folder of %j is %s", (environment, folder) => {
  expect(read(environment).cacheFolder).toBe(folder)
  expect(read(environment, { cacheFolder: "/option" }).cacheFolder).toBe("/option")
})

test("the endpoint is the public hub, or an address that may have a path", () => {
  expect(read({}).endpoint).toBe("https://huggingface.co")
  expect(read({ HUB_ENDPOINT: "http://mirror:8080/hf/" }).endpoint).toBe("http://mirror:8080/hf")
})

test.each(["mirror", "ftp://mirror", "https://user:secret@mirror", "https://mirror?token=secret"])(
  "endpoint %s is refused without being printed",
  (endpoint) => {
    expect(() => read({ HUB_ENDPOINT: endpoint })).toThrow(
      expect.objectContaining({ name: "RtrError", message: expect.not.stringContaining("secret") as string }) as Error,
    )
  },
)

test("offline comes from the option or the environment", () => {
  expect(
    [read({}), read({ HUB_OFFLINE: "1" }), read({ HUB_OFFLINE: "0" }), read({}, { offline: true })].map(
      ({ offline }) => offline,
    ),
  ).toEqual([false, true, false, true])
})

test("the token comes from HUB_TOKEN, else from the hub's token file", () => {
  const folder = emptyFolder()
  mkdirSync(join(folder, "huggingface"))
  writeFileSync(join(folder, "huggingface/token"), "from-file\n")
  writeFileSync(join(folder, "elsewhere"), "from-elsewhere")
  const cache = { XDG_CACHE_HOME: folder }
  expect(read({ HUB_TOKEN: " given ", ...cache }).token()).toBe("given")
  expect(read({ ...cache, HF_TOKEN: "not-read" }).token()).toBe("from-file")
  expect(read({ ...cache, HF_TOKEN_PATH: join(folder, "elsewhere") }).token()).toBe("from-elsewhere")
  expect(read({ ...cache, HUB_TOKEN_PATH: join(folder, "none") }).token()).toBeUndefined()
})

test("a token that no header can hold is refused without being printed", () => {
  const attempt = (): unknown => read({ HUB_TOKEN: "secret\nx-evil: 1" })
  expect(attempt).toThrow("Cannot use HUB_TOKEN: it must be one word of visible ASCII characters")
})

test("printing the settings prints no token", () => {
  expect(JSON.stringify(read({ HUB_TOKEN: "secret" }))).not.toContain("secret")
})
