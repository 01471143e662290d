// The command `rtrun`: the model worker.

import { Command } from "commander"
import { addBenchCommand } from "./commands/bench.ts"
import { addCompletionCommands } from "./commands/completion.ts"
import { addModelsCommand } from "./commands/models.ts"
import { addPluginsCommand } from "./commands/plugins.ts"
import { addPrepareCommand } from "./commands/prepare.ts"
import { addWorkerCommands } from "./commands/worker.ts"
import { commandGroup, runProgram } from "./program.ts"
import { readVersion } from "./version.ts"

const program = new Command("rtrun")
  .description("Runs small local models behind an HTTP contract")
  .version(`rtrun version: ${readVersion()}`, "--version", "print the version")
  .showHelpAfterError("Run with --help for the options.")

addWorkerCommands(program)
addPrepareCommand(program)
addModelsCommand(program)
addPluginsCommand(program)
addBenchCommand(program)
addCompletionCommands(program)

await runProgram(commandGroup(program))
