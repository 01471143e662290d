import { readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { delimiter, join } from "node:path"
import { expect, test } from "vitest"
import { installCompletion, isOnPath } from "../../../ts/cli/completion/install.ts"
import { emptyFolder } from "../../fakes/hub.ts"

test("one marked line is added behind what is there, once for each command", () => {
  const home = emptyFolder()
  const file = join(home, ".bashrc")
  writeFileSync(join(home, "dotfile"), "alias x=y")
  symlinkSync("dotfile", file)
  const at = { home, variables: {} }
  expect(installCompletion("bash", "rtr", at)).toEqual({ file, added: true })
  expect(installCompletion("bash", "rtr", at)).toEqual({ file, added: false })
  expect(installCompletion("bash", "rtrun", at)).toEqual({ file, added: true })
  expect(readFileSync(join(home, "dotfile"), "utf8")).toBe(
    `alias x=y
# rtr completion, added by: rtr completion install
command -v rtr >/dev/null && eval "$(rtr completion show bash)"
# rtrun completion, added by: rtrun completion install
command -v rtrun >/dev/null && eval "$(rtrun completion show bash)"
`,
  )
})

test("each shell has its file, made where there is none", () => {
  const home = emptyFolder()
  const elsewhere = emptyFolder()
  const variables = { ZDOTDIR: elsewhere, XDG_CONFIG_HOME: join(elsewhere, "config") }
  expect(installCompletion("zsh", "rtr", { home, variables }).file).toBe(join(elsewhere, ".zshrc"))
  expect(installCompletion("zsh", "rtr", { home, variables: {} }).file).toBe(join(home, ".zshrc"))
  const { file } = installCompletion("fish", "rtr", { home, variables })
  expect(file).toBe(join(elsewhere, "config/fish/completions/rtr.fish"))
  expect(readFileSync(file, "utf8")).toContain("command -q rtr; and rtr completion show fish | source")
  expect(installCompletion("fish", "rtr", { home, variables: {} }).file).toBe(
    join(home, ".config/fish/completions/rtr.fish"),
  )
})

test("a command is on the path where a folder of it holds it", () => {
  const [empty, full] = [emptyFolder(), emptyFolder()]
  writeFileSync(join(full, "rtr"), "")
  expect(isOnPath("rtr", [empty, full].join(delimiter))).toBe(true)
  for (const path of [empty, "", undefined]) expect(isOnPath("rtr", path)).toBe(false)
})
