// Makes new shells load the completion: one marked line, added once, and nothing that is there is changed.

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import type { Shell } from "./scripts.ts"

export interface Installed {
  readonly file: string
  /** False when the line was there already. */
  readonly added: boolean
}

/** Throws what the file system throws. */
export function installCompletion(
  shell: Shell,
  program: string,
  { home, variables }: { readonly home: string; readonly variables: Readonly<Record<string, string | undefined>> },
): Installed {
  const mark = `# ${program} completion`
  const file = {
    bash: join(home, ".bashrc"),
    zsh: join(variables["ZDOTDIR"] || home, ".zshrc"),
    fish: join(variables["XDG_CONFIG_HOME"] || join(home, ".config"), "fish/completions", `${program}.fish`),
  }[shell]
  const found = existsSync(file) ? readFileSync(file, "utf8") : ""
  if (found.includes(mark)) return { file, added: false }
  // A shell without the command on its path must start all the same.
  const load =
    shell === "fish"
      ? `command -q ${program}; and ${program} completion show fish | source`
      : `command -v ${program} >/dev/null && eval "$(${program} completion show ${shell})"`
  const lines = `${mark}, added by: ${program} completion install\n${load}\n`
  mkdirSync(dirname(file), { recursive: true })
  appendFileSync(file, found === "" || found.endsWith("\n") ? lines : `\n${lines}`)
  return { file, added: true }
}

/** Whether a shell with this PATH finds the command. */
export function isOnPath(program: string, path = ""): boolean {
  return path.split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, program)))
}
