import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import redis from "../../ts/plugins/stores/redis.ts"
import { noRedis, redisProgram, startRedisServer } from "../_redis-server.ts"

const root = join(import.meta.dirname, "../..")

test.skipIf(redisProgram !== undefined)(`the Redis store under Deno is not tested: ${noRedis}`, ({ skip }) =>
  skip(noRedis),
)

test.skipIf(redisProgram === undefined)(
  "the Redis store keeps its contract under Deno, on a server that Node wrote to",
  async () => {
    const server = await startRedisServer()
    onTestFinished(() => server.remove())
    const url = `redis://${server.address}`
    const store = await redis.setup({ url }, { clock: Date.now })
    onTestFinished(() => store.close())
    await store.kv?.("node").set("a\0b", "written by Node")
    const { stdout } = await promisify(execFile)(
      join(root, "node_modules/.bin/deno"),
      [
        "run",
        "--no-prompt",
        "--allow-read",
        "--allow-net",
        "--allow-env",
        "test/e2e/fixtures/deno-redis-store.ts",
        url,
      ],
      { cwd: root, env: { ...process.env, NO_COLOR: "1" } },
    )
    expect(stdout).toMatch(
      /^0 failed; read "written by Node"; Cannot use the Redis server 127\.0\.0\.1:1: ECONNREFUSED; nobody listens there/,
    )
  },
)
