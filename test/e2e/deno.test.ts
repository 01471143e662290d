import { spawn } from "node:child_process"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { startTestBackend, userMessage, waitFor } from "./_processes.ts"

const root = join(import.meta.dirname, "../..")

test("the kernel routes under Deno, with an outside module and a keyword decision", async () => {
  const backend = await startTestBackend()
  const permissions = ["--allow-net=127.0.0.1", "--allow-read", "--allow-env"]
  const deno = spawn(
    join(root, "node_modules/.bin/deno"),
    ["run", "--no-prompt", ...permissions, "test/e2e/fixtures/deno-main.ts", "test/e2e/fixtures/deno-config.yaml"],
    {
      cwd: root,
      env: { ...process.env, BACKEND: backend.endpoint, NO_COLOR: "1" },
    },
  )
  onTestFinished(() => void deno.kill("SIGKILL"))
  let output = ""
  for (const stream of [deno.stdout, deno.stderr]) stream.on("data", (piece: Buffer) => (output += piece.toString()))
  await waitFor(() => output.includes("listening on ") || deno.exitCode !== null, 25_000)
  const port = /listening on (\d+)/.exec(output)?.[1]
  expect(port, output).toBeDefined()

  const ask = (content: string, extra: object = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer deno-key" },
      body: JSON.stringify(userMessage(content, extra)),
    })
  const greeted = await ask("hello there")
  expect(greeted.headers.get("x-rtr-selected-decision")).toBe("greet")
  expect(await greeted.json()).toMatchObject({ choices: [{ message: { content: "hello" } }] })
  expect(await (await ask("hello again", { stream: true })).text()).toMatch(/one .*four.*\[DONE\]/s)
  const shouted = await ask("WHY IS IT DOWN")
  expect(shouted.headers.get("x-rtr-selected-decision")).toBe("calm-down")
  expect(await shouted.json()).toMatchObject({ choices: [{ message: { content: "We hear you." } }] })
  expect((await fetch(`http://127.0.0.1:${port}/v1/models`)).status).toBe(401)
})
