// Programs in Python with the clients of `python/requirements.txt`. They say what they saw in lines of JSON.

import { spawn, spawnSync } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { onTestFinished } from "vitest"

const folder = join(import.meta.dirname, "python")

let found: { readonly bin: string } | { readonly missing: string } | undefined

/** The folder with the interpreter, made at the first call, or why there is none. */
export function pythonClients(): { readonly bin: string } | { readonly missing: string } {
  if (found !== undefined) return found
  const { status, stdout, stderr, error } = spawnSync("bash", [join(folder, "install.sh")], { encoding: "utf8" })
  const said = (error?.message ?? stderr).trim().split("\n").at(-1) ?? ""
  found =
    status === 0
      ? { bin: stdout.trim() }
      : { missing: `the Python clients cannot be installed (test/e2e/python/install.sh): ${said}` }
  return found
}

/** LiteLLM asks the network for prices when it is imported, unless told otherwise, and its objects make Pydantic warn. */
export const pythonEnvironment = { LITELLM_LOCAL_MODEL_COST_MAP: "True", PYTHONWARNINGS: "ignore" } as const

export interface Line {
  readonly [field: string]: unknown
}

export interface PythonRun {
  /** Lines so far. */
  readonly lines: readonly Line[]
  /** Resolves with the status of the program and what it wrote to stderr. */
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>
}

/** Runs a program of `python/` and does `act` for each of its lines. After a line with `wait` it goes on when that is done. */
export function runPython(
  bin: string,
  [program, ...args]: readonly [string, ...string[]],
  act: (line: Line) => Promise<void>,
): PythonRun {
  const child = spawn(join(bin, "python"), [join(folder, program), ...args], {
    env: { PATH: process.env["PATH"], ...pythonEnvironment },
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const lines: Line[] = []
  let stderr = ""
  child.stderr.on("data", (piece: Buffer) => (stderr += piece.toString()))
  createInterface(child.stdout).on("line", (text) => {
    const line = JSON.parse(text) as Line
    lines.push(line)
    void act(line).then(
      () => line["wait"] !== undefined && child.stdin.write("\n"),
      () => child.kill(),
    )
  })
  child.stdin.on("error", () => {})
  return { lines, ended: new Promise((resolve) => child.once("close", (code) => resolve({ code, stderr }))) }
}
