import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Argument, Command, Option } from "commander"
import { describe, expect, test } from "vitest"
import { describeCommands } from "../../../ts/cli/completion/describe.ts"
import { completionScript } from "../../../ts/cli/completion/scripts.ts"
import { emptyFolder } from "../../fakes/hub.ts"

/** A command with every kind of thing that can be completed. */
function program(): Command {
  const top = new Command("demo")
  const config = top.command("config").description("it's a group")
  config.command("check").option("--config <file>", "a file").option("-j, --json", "as JSON")
  top
    .command("serve")
    .argument("[models...]")
    .addOption(new Option("--platform <platform>").choices(["auto", "cpu"]))
    .option("--port <port>")
  top.command("show").addArgument(new Argument("[shell]").choices(["bash", "zsh"]))
  top.command("secret", { hidden: true })
  return top
}

const script = (shell: "bash" | "zsh" | "fish"): string => completionScript(shell, "demo", describeCommands(program()))

/** What bash offers for the last word of a line. */
function offered(line: string): readonly string[] {
  const folder = emptyFolder()
  writeFileSync(join(folder, "demo.bash"), script("bash"))
  writeFileSync(join(folder, "my config.yaml"), "")
  const words = line.split(" ")
  const asked = `source ./demo.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _demo; printf '%s\\n' "\${COMPREPLY[@]}"`
  const said = execFileSync("bash", ["-c", asked, "bash", ...words], { cwd: folder, encoding: "utf8" })
  return said.split("\n").filter((word) => word !== "")
}

describe("bash offers", () => {
  test.each<[string, readonly string[]]>([
    ["demo ", ["config", "serve", "show", "-h", "--help"]],
    ["demo se", ["serve"]],
    ["demo config ", ["check", "-h", "--help"]],
    ["demo config check --", ["--config", "--json", "--help"]],
    ["demo config check --config my", ["my config.yaml"]],
    ["demo config check -j --config my", ["my config.yaml"]],
    ["demo serve --platform ", ["auto", "cpu"]],
    ["demo serve --port ", []],
    ["demo serve my", ["my config.yaml"]],
    ["demo serve --pl", ["--platform"]],
    ["demo show z", ["zsh"]],
    ["demo nothing ", ["config", "serve", "show", "-h", "--help"]],
  ])("%j: %j", (line, words) => {
    expect(offered(line)).toEqual(words)
  })
})

test("zsh runs the function of bash, fish has a line for each thing with its description quoted", () => {
  expect(script("zsh")).toContain("bashcompinit\n_demo_files() {")
  const fish = script("fish")
  expect(fish).toContain(`complete -c demo -n '__demo_at ""' -a config -d 'it\\'s a group'\n`)
  expect(fish).toContain(`complete -c demo -n '__demo_at " config check"' -l config -rF -d 'a file'\n`)
  expect(fish).toContain(`complete -c demo -n '__demo_at " config check"' -s j -l json -d 'as JSON'\n`)
  expect(fish).toContain(`complete -c demo -n '__demo_at " serve"' -l platform -x -a 'auto cpu' -d ''\n`)
  expect(fish).not.toContain("secret")
})
