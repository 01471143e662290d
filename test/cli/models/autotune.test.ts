import { expect, test } from "vitest"
import { autotuneFolder } from "../../../ts/cli/models/autotune.ts"

test.each([
  [{ autotuneCache: "/given" }, { RTRUN_AUTOTUNE_CACHE: "/set", HOME: "/home/ada" }, "/given"],
  [{}, { RTRUN_AUTOTUNE_CACHE: "/set", HOME: "/home/ada" }, "/set"],
  [{}, { XDG_CACHE_HOME: "/caches", HOME: "/home/ada" }, "/caches/rtrun/autotune"],
  [{}, { RTRUN_AUTOTUNE_CACHE: "", HOME: "/home/ada" }, "/home/ada/.cache/rtrun/autotune"],
])("%j with %j keeps its outcomes in %s", (options, environment, folder) => {
  expect(autotuneFolder({ profile: "exact", ...options }, environment)).toBe(folder)
})
