// A whole kernel over fakes.

import { createKernel, type Kernel, type KernelOptions } from "rtr"
import { createFakeInference } from "rtr/testing"
import { smallDocument } from "./document.ts"
import { completion, createFakeTransport, type FakeTransport, jsonReply } from "./transport.ts"

export interface FakeKernel extends Kernel {
  readonly transport: FakeTransport
}

/** A kernel of the small document whose backends answer with a fixed text, unless told otherwise. */
export async function createFakeKernel(
  options: Partial<Omit<KernelOptions, "transport">> & { readonly transport?: FakeTransport } = {},
): Promise<FakeKernel> {
  const transport = options.transport ?? createFakeTransport(jsonReply(completion("hi")))
  const kernel = await createKernel({ config: smallDocument, inference: createFakeInference(), ...options, transport })
  // The kernel's plan is a getter: a copy of its value would not change with the configuration.
  return Object.defineProperties({ transport }, Object.getOwnPropertyDescriptors(kernel)) as FakeKernel
}

/** A JSON request to a path of the kernel. */
export function post(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Request {
  return new Request(`http://rtr.example${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  })
}

export function get(path: string, headers: Readonly<Record<string, string>> = {}): Request {
  return new Request(`http://rtr.example${path}`, { headers })
}

/** A chat request with this user message. */
export function chat(text: string, changes: object = {}, headers: Readonly<Record<string, string>> = {}): Request {
  return post(
    "/v1/chat/completions",
    { model: "MoM", messages: [{ role: "user", content: text }], ...changes },
    headers,
  )
}
