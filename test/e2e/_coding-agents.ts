// Coding agents as their vendors publish them, installed once into a folder outside the repository, and started with the settings that
// their pages in docs/clients have.

import { execFile } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import type { protocols, ScriptedCall } from "./_agent-backends.ts"
import { readBlocks } from "./_client-pages.ts"

const run = promisify(execFile)

/** What the agents are asked to do: read the file, change a word in it and count its lines. */
export const task = { file: "notes.txt", before: "The sky is green.\n", after: "The sky is blue.\n" } as const
const prompt = `Correct the colour in ${task.file}, then count its lines.`

export interface Agent {
  readonly package: string
  readonly speaks: keyof typeof protocols
  /** The calls of the task, for the tools that the agent has. */
  readonly calls: (file: string) => readonly ScriptedCall[]
  readonly start: (cache: string) => Start
}

interface Place {
  readonly cache: string
  readonly home: string
  readonly folder: string
  readonly router: string
}

interface Start {
  readonly command: string
  readonly args: readonly string[]
  /** What is of no interest to users. */
  readonly environment?: NodeJS.ProcessEnv
}

const system = `${process.platform}-${process.arch}`

const claudeCode: Agent = {
  package: "@anthropic-ai/claude-code",
  speaks: "Messages",
  calls: (file) => [
    { tool: "Read", input: { file_path: file } },
    { tool: "Edit", input: { file_path: file, old_string: "green", new_string: "blue" } },
    { tool: "Bash", input: { command: `wc -l ${task.file}`, description: "Counts lines" } },
    { tool: "ToolSearch", input: { query: "select:TaskStop", max_results: 5 } },
  ],
  start: (cache) => ({
    command: join(cache, `node_modules/@anthropic-ai/claude-code-${system}/claude`),
    args: ["-p", prompt, "--allowedTools", "Read", "Edit", "Bash"],
    environment: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", IS_SANDBOX: "1" },
  }),
}

const codex: Agent = {
  package: "@openai/codex",
  speaks: "Responses",
  calls: () => [
    { tool: "exec_command", input: { cmd: `cat ${task.file}` } },
    { tool: "exec_command", input: { cmd: `sed -i s/green/blue/ ${task.file}` } },
    { tool: "exec_command", input: { cmd: `wc -l ${task.file}` } },
    { tool: "multi_agent_v1__close_agent", input: { target: "nobody" } },
  ],
  start: (cache) => ({
    command: process.execPath,
    args: [
      join(cache, "node_modules/@openai/codex/bin/codex.js"),
      "exec",
      "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox",
      prompt,
    ],
  }),
}

const opencode: Agent = {
  package: "opencode-ai",
  speaks: "chat completions",
  calls: (file) => [
    { tool: "read", input: { filePath: file } },
    { tool: "edit", input: { filePath: file, oldString: "green", newString: "blue" } },
    { tool: "bash", input: { command: `wc -l ${task.file}`, description: "Counts lines" } },
  ],
  start: (cache) => ({
    command: join(cache, `node_modules/opencode-${system}/bin/opencode`),
    args: ["run", prompt],
    environment: { OPENCODE_CONFIG_CONTENT: JSON.stringify({ autoupdate: false, share: "disabled" }) },
  }),
}

export const agents = { "claude-code": claudeCode, codex, opencode } as const

/** Their post-install scripts would only put the programs into other places. */
export async function installAgents(cache: string): Promise<void> {
  const missing = Object.values(agents).filter((agent) => !existsSync(join(cache, "node_modules", agent.package)))
  if (missing.length === 0) return
  mkdirSync(cache, { recursive: true })
  if (!existsSync(join(cache, "package.json"))) writeFileSync(join(cache, "package.json"), '{"private":true}')
  const names = Object.values(agents).map((agent) => agent.package)
  await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...names], { cwd: cache })
}

const pages = join(import.meta.dirname, "../../docs/clients")

/**
 * Runs an agent in `folder` until it is done, with the files and the shell commands of its page. Nothing of this process's environment
 * reaches it but the path.
 */
export async function runAgent(
  name: keyof typeof agents,
  { cache, home, folder, router }: Place,
): Promise<{ readonly output: string; readonly code: number }> {
  const { command, args, environment } = agents[name].start(cache)
  const page = readFileSync(join(pages, `${name}.md`), "utf8").replaceAll("127.0.0.1:8801", new URL(router).host)
  const blocks = readBlocks(page)
  for (const { file, code } of blocks)
    if (file !== undefined) write(file.startsWith("~/") ? join(home, file.slice(2)) : join(folder, file), code)
  const settings = blocks.filter(({ file, language }) => file === undefined && language === "sh")
  const script = [...settings.map(({ code }) => code), 'exec "$0" "$@"'].join("\n")
  const running = run("bash", ["--norc", "-euc", script, command, ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], HOME: home, ...environment },
    timeout: 120_000,
    maxBuffer: 16 << 20,
  })
  running.child.stdin?.end()
  try {
    const { stdout, stderr } = await running
    return { output: stdout + stderr, code: 0 }
  } catch (error) {
    const { stdout = "", stderr = "", code } = error as { stdout?: string; stderr?: string; code?: number }
    return { output: stdout + stderr, code: code ?? -1 }
  }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
