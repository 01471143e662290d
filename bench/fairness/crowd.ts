// Sends what a crowd sends until the process is ended, and prints each answer's status and milliseconds on a line.

import { request } from "node:http"
import { createTextMaker } from "../inference/texts.ts"
import { packageFolder } from "../inference/worker.ts"
import { crowds } from "./crowds.ts"

const [port, name] = process.argv.slice(2)
const crowd = crowds.find((each) => each.name === name)
if (crowd === undefined)
  throw new Error(`There is no crowd ${name}; there are ${crowds.map((each) => each.name).join(", ")}`)
const texts = createTextMaker(packageFolder, process.pid)

for (let client = 0; client < crowd.clients; client += 1) void sendForEver()

async function sendForEver(): Promise<never> {
  for (;;) {
    const startedAt = performance.now()
    const status = await send(JSON.stringify(crowd?.body(texts)))
    process.stdout.write(`${status} ${Math.round(performance.now() - startedAt)}\n`)
  }
}

function send(body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port: Number(port),
        path: "/v1/chat/completions",
        method: "POST",
        headers: { "content-type": "application/json" },
      },
      (response) => response.resume().on("end", () => resolve(response.statusCode ?? 0)),
    )
    sent.on("error", reject)
    sent.end(body)
  })
}
