// The frame of both commands: help, exit codes, and options that are known but not served yet.

import { isIP } from "node:net"
import { type Command, CommanderError, InvalidArgumentError, Option } from "commander"
import type { DocumentPath, RtrError } from "rtr"
import { followLauncher } from "./launcher.ts"
import { printError } from "./print.ts"

/** Exit codes: 0 done, 1 failed, 2 called wrongly. */
const usageError = 2

/** Runs a program and sets the exit code; every error becomes one line on standard error. */
export async function runProgram(program: Command): Promise<void> {
  followLauncher()
  forEachCommand(program, (command) => {
    command.exitOverride().configureOutput({ outputError: (text, write) => write(withHint(text, command)) })
    // Commands take this setting over from the one that holds them.
    if (command.commands.length === 0 && !refused.has(command)) command.allowExcessArguments(false)
  })
  for (const stream of [process.stdout, process.stderr]) stream.on("error", ignoreGoneReader)
  try {
    await program.parseAsync()
  } catch (error) {
    process.exitCode = await exitCodeOf(error)
  }
}

/** A file behind a command that takes it as an option is what people write first. */
function withHint(text: string, { options }: Command): string {
  const error = text.replace(/^error: /, "Error: ")
  return options.some(({ long }) => long === "--config")
    ? error.replace(/^(Error: too many arguments.*?)\.?$/m, "$1; name the configuration with --config FILE")
    : error
}

/** A call that is wrong in a way that only the command itself can tell. */
export class UsageError extends Error {
  override readonly name = "UsageError"
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}

/** Whoever read the output has seen enough (`| head`), or its terminal is gone: no reason to fail. Output that is lost is one. */
export function ignoreGoneReader(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE" && error.code !== "EIO") throw error
}

/** Commands that this version refuses whatever follows them. */
const refused = new WeakSet<Command>()

async function exitCodeOf(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : usageError
  if (error instanceof UsageError) {
    printError(error.message, error.hint)
    return usageError
  }
  // By name: loading the kernel only to compare classes would double the time of every call that fails.
  const known = error instanceof Error && error.name === "RtrError" ? (error as RtrError) : undefined
  const message = error instanceof Error ? error.message : String(error)
  printError(known?.path === undefined ? message : `${message} (${await pathText(known.path)})`, known?.hint)
  return 1
}

/** A path into the document. Whoever threw an error with one has loaded the kernel already. */
async function pathText(path: DocumentPath): Promise<string> {
  const { formatPath } = await import("rtr")
  return formatPath(path)
}

function forEachCommand(command: Command, change: (command: Command) => void): void {
  change(command)
  for (const child of command.commands) forEachCommand(child, change)
}

/** A command that only holds others: alone it prints its help, and a name it does not know is an error with a suggestion. */
export function commandGroup(command: Command): Command {
  return command.allowExcessArguments().action(async () => {
    const [unknown] = command.args
    if (unknown === undefined) return command.outputHelp()
    const { closest } = await import("rtr")
    const near = closest(
      unknown,
      command.commands.filter((child) => !refused.has(child)).map((child) => child.name()),
    )
    return command.error(`error: unknown command "${unknown}"${near === undefined ? "" : ` (did you mean "${near}"?)`}`)
  })
}

/** An option whose words a shell offers and the help lists. Which of them is refused, and how, is the command's to say. */
export function offerWords(flags: string, about: string, words: readonly string[], usual?: string): Option {
  const option = new Option(flags, about)
  if (usual !== undefined) option.default(usual)
  option.argChoices = [...words]
  return option
}

/** Declares options of the full product that this version refuses; they stay out of the help. */
export function refuseOptions(command: Command, flags: readonly string[]): Command {
  for (const flag of flags) {
    const option = command.createOption(flag).hideHelp()
    command.addOption(option)
    command.on(`option:${option.name()}`, () =>
      command.error(`error: ${option.long ?? option.name()} is not supported yet`),
    )
  }
  return command
}

/** Declares commands of the full product that this version refuses. */
export function refuseCommands(parent: Command, names: readonly string[]): Command {
  for (const name of names) {
    const command = parent
      .command(name, { hidden: true })
      .allowUnknownOption()
      .allowExcessArguments()
      .helpOption(false)
      .action(async () => {
        const { RtrError } = await import("rtr")
        const path = [parent.parent?.name(), parent.name(), name].filter(Boolean).join(" ")
        throw new RtrError("not_supported", `${path} is not supported yet`)
      })
    refused.add(command)
  }
  return parent
}

/** Reads a whole number in a range for an option. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
    return value
  }
}

/** Reads an IP address or a host name for an option; the port has one of its own. */
export function hostAddress(text: string): string {
  if (isIP(text) === 0 && !/^[\w.-]+$/.test(text))
    throw new InvalidArgumentError("It must be an IP address or a host name, without a scheme and a port.")
  return text
}

/** Reads a share of a whole for an option. */
export function share(text: string): number {
  const value = Number(text)
  if (!/^[\d.]+$/.test(text) || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError("It must be a number from 0 to 1.")
  return value
}
