// The scripts that shells load: one function that knows where in the command line it is.

import type { CompletedCommand } from "./describe.ts"

export type Shell = "bash" | "zsh" | "fish"
export const shells: readonly Shell[] = ["bash", "zsh", "fish"]

/** The script of a program for a shell. Names of commands and options are plain words; descriptions are quoted. */
export function completionScript(shell: Shell, program: string, commands: readonly CompletedCommand[]): string {
  const head = `# Completion of ${program} for ${shell}, written by: ${program} completion show ${shell}\n# To load it in every new shell: ${program} completion install ${shell}\n`
  return head + (shell === "fish" ? fishScript(program, commands) : bashScript(shell, program, commands))
}

/** zsh runs the same function through its own layer for bash completions. */
function bashScript(shell: Shell, program: string, commands: readonly CompletedCommand[]): string {
  const values = commands.flatMap(({ path, options }) =>
    options.flatMap(({ flags, value }) => {
      if (value === "none") return []
      const patterns = flags.map((flag) => `"${path}:${flag}"`).join("|")
      const words = typeof value === "string" ? "" : value.join(" ")
      const action =
        value === "file" ? "files" : value === "text" ? "" : `COMPREPLY=($(compgen -W "${words}" -- "$current"))`
      return [`    ${patterns}) ${action === "files" ? `_${program}_files` : action || ":"}; return ;;`]
    }),
  )
  const words = commands.map(({ path, commands: children, options, files, words: given }) => {
    const all = [...children.map(({ name }) => name), ...given, ...options.flatMap(({ flags }) => flags)].join(" ")
    const reply = `COMPREPLY=($(compgen -W "${all}" -- "$current"))`
    return `    "${path}") ${files ? `case "$current" in -*) ${reply} ;; *) _${program}_files ;; esac` : reply} ;;`
  })
  return `${shell === "zsh" ? "autoload -Uz compinit bashcompinit\n(( $+functions[compdef] )) || compinit\nbashcompinit\n" : ""}_${program}_files() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -f -- "$current"))
  compopt -o filenames 2>/dev/null
}
_${program}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" at="" index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$at \${COMP_WORDS[index]}" in
      ${commands
        .slice(1)
        .map(({ path }) => `"${path}"`)
        .join("|")}) at="$at \${COMP_WORDS[index]}" ;;
    esac
  done
  COMPREPLY=()
  case "$at:$before" in
${values.join("\n")}
  esac
  case "$at" in
${words.join("\n")}
  esac
}
complete -F _${program} ${program}
`
}

function fishScript(program: string, commands: readonly CompletedCommand[]): string {
  const quote = (text: string): string => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
  const lines = commands.flatMap(({ path, commands: children, options, files, words }) => {
    const at = `complete -c ${program} -n ${quote(`__${program}_at "${path}"`)}`
    return [
      ...(files ? [`${at} -F`] : []),
      ...words.map((word) => `${at} -a ${word}`),
      ...children.map(({ name, about }) => `${at} -a ${name} -d ${quote(about)}`),
      ...options.map(({ flags, about, value }) => {
        const names = flags
          .map((flag) => (flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
          .join(" ")
        const takes =
          value === "none"
            ? ""
            : value === "file"
              ? " -rF"
              : value === "text"
                ? " -x"
                : ` -x -a ${quote(value.join(" "))}`
        return `${at} ${names}${takes} -d ${quote(about)}`
      }),
    ]
  })
  return `function __${program}_at
  set -l at ""
  for word in (commandline -opc)[2..-1]
    switch "$at $word"
      case ${commands
        .slice(1)
        .map(({ path }) => quote(path))
        .join(" ")}
        set at "$at $word"
    end
  end
  test "$at" = "$argv[1]"
end
complete -c ${program} -f
${lines.join("\n")}
`
}
