// rtr completion and rtrun completion: what shells need to complete commands, options, choices and files.

import { homedir } from "node:os"
import { basename } from "node:path"
import { Argument, type Command } from "commander"
import { completionScript, type Shell, shells } from "../completion/scripts.ts"
import { printLine, printWarning } from "../print.ts"
import { commandGroup } from "../program.ts"

export function addCompletionCommands(program: Command): void {
  const completion = commandGroup(program.command("completion").description("complete this command in a shell"))
  const shellArgument = (): Argument => new Argument("[shell]", "the shell of $SHELL when left out").choices(shells)
  const show = completion.command("show").description("print the script").addArgument(shellArgument())
  show.action(async (shell: Shell | undefined) => {
    const { describeCommands } = await import("../completion/describe.ts")
    const script = completionScript(shell ?? shellOf(show), program.name(), describeCommands(program))
    process.stdout.write(script)
  })
  const install = completion
    .command("install")
    .description("load it in every new shell: adds one line to the shell's own file, once")
    .addArgument(shellArgument())
  install.action(async (given: Shell | undefined) => {
    const shell = given ?? shellOf(install)
    const { installCompletion, isOnPath } = await import("../completion/install.ts")
    const { file, added } = installCompletion(shell, program.name(), { home: homedir(), variables: process.env })
    const name = program.name()
    printLine(added ? `Added the completion of ${name} to ${file}` : `${file} loads the completion of ${name} already`)
    if (!isOnPath(name, process.env["PATH"]))
      printWarning(`${name} is not on the PATH; shells complete it only where it is, and never behind npx`)
  })
}

/** The user's shell. */
function shellOf(command: Command): Shell {
  const name = basename(process.env["SHELL"] ?? "")
  const found = shells.find((shell) => shell === name)
  return found ?? command.error(`error: $SHELL names no shell that is known here; give one of ${shells.join(", ")}`)
}
