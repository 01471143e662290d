// The command `rtr`: a table of commands that load when they are called.

import { Command } from "commander"
import { readVersion } from "./version.ts"
import { commandGroup, refuseCommands, runProgram } from "./program.ts"
import { addCompletionCommands } from "./commands/completion.ts"
import { addConfigCommands } from "./commands/config.ts"
import { addProvidersCommands } from "./commands/providers.ts"
import { addRequestCommands } from "./commands/request.ts"
import { addRouteCommands } from "./commands/route.ts"
import { addServeCommand } from "./commands/serve.ts"
import { addStatusCommand } from "./commands/status.ts"

const program = new Command("rtr")
  .description("Routes chat requests to models by what small local models read in them")
  .version(`rtr version: ${readVersion()}`, "--version", "print the version")
  .showHelpAfterError("Run with --help for the options.")

addServeCommand(program)
addConfigCommands(program)
addProvidersCommands(program)
addRequestCommands(program)
addRouteCommands(program)
addStatusCommand(program)
addCompletionCommands(program)
refuseCommands(program, ["recipe", "benchmark", "dashboard", "logs", "optimize", "stop", "storage"])

await runProgram(commandGroup(program))
