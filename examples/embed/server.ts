// The kernel inside your own Node server: routed chat under one path, your own routes beside it.
// Run: node examples/embed/server.ts

import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import type { Inference } from "rtr"
import { createKernel, toNodeListener } from "rtr/node"

export interface EmbedOptions {
  readonly backend: string
  readonly port?: number
  /** Pass `await createNativeInference({ config })` from `rtr/node` to use signals that ask a model; without it they are refused. */
  readonly inference?: Inference
}

export async function startServer({
  backend,
  port = 0,
  inference,
}: EmbedOptions): Promise<{ server: Server; url: string }> {
  // References such as `${OPENAI_API_KEY}` and `api_key_env` are read from `process.env`; `environment` replaces it.
  const kernel = await createKernel({
    config: {
      version: "v0.3",
      providers: {
        defaults: { model: "small" },
        models: ["small", "coder"].map((name) => ({ name, backend_refs: [{ base_url: backend }] })),
      },
      routing: {
        signals: { keywords: [{ name: "code", operator: "OR", keywords: ["function", "bug", "compile"] }] },
        decisions: [{ name: "programming", rules: { type: "keyword", name: "code" }, modelRefs: [{ model: "coder" }] }],
      },
    },
    ...(inference !== undefined && { inference }),
  })
  const chat = toNodeListener(kernel)
  const server = createServer((request, response) => {
    if (request.url?.startsWith("/v1/") === true) chat(request, response)
    else response.end("Hello from your own server\n")
  })
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  server.on("close", () => void kernel.close())
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

if (process.argv[1] === import.meta.filename) {
  const { url } = await startServer({ backend: process.argv[2] ?? "http://127.0.0.1:11434/v1", port: 3000 })
  process.stdout.write(`Send chat requests to ${url}/v1/chat/completions\n`)
}
