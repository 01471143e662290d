// What a shell may complete, read from the commands themselves, so that it cannot differ from what they take.

import type { Command, Option } from "commander"

export interface CompletedCommand {
  /** Names of the commands down to this one, each after a space: "" for the program, " config validate" for one below it. */
  readonly path: string
  readonly commands: readonly { readonly name: string; readonly about: string }[]
  readonly options: readonly CompletedOption[]
  /** Words that its arguments may be. */
  readonly words: readonly string[]
  /** Whether its arguments may be files. */
  readonly files: boolean
}

export interface CompletedOption {
  /** `--config`, and `-h` when there is a short one. */
  readonly flags: readonly string[]
  readonly about: string
  /** What follows: nothing, a file, one of some words, or text that no shell can guess. */
  readonly value: "none" | "file" | "text" | readonly string[]
}

/** Every command that the help shows, the program first. */
export function describeCommands(program: Command): readonly CompletedCommand[] {
  const help = program.createHelp()
  const describe = (command: Command, path: string): readonly CompletedCommand[] => {
    const children = help.visibleCommands(command).filter((child) => child.name() !== "help")
    return [
      {
        path,
        commands: children.map((child) => ({ name: child.name(), about: child.description() })),
        options: help.visibleOptions(command).map(describeOption),
        words: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
        files: command.registeredArguments.some((argument) => isFile(argument.name())),
      },
      ...children.flatMap((child) => describe(child, `${path} ${child.name()}`)),
    ]
  }
  return describe(program, "")
}

function describeOption(option: Option): CompletedOption {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined)
  return { flags, about: option.description, value: valueOf(option) }
}

function valueOf(option: Option): CompletedOption["value"] {
  if (!option.required && !option.optional) return "none"
  if (option.argChoices !== undefined) return option.argChoices
  return isFile(/<([^>]+)>/.exec(option.flags)?.[1] ?? "") ? "file" : "text"
}

const isFile = (name: string): boolean => /^(file|folder|path|dir|model|models)$/.test(name)
