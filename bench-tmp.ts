import { createListenerApp } from "./ts/kernel/http/app.ts"
const text = JSON.stringify({
  id: "c1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "x".repeat(300) }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 },
})
const record = (startedAt: number, id: string): any => ({
  id,
  startedAt,
  listener: "main",
  endpoint: "/x",
  generation: 1,
  requestedModel: "MoM",
  automatic: true,
  path: "upstream",
  decision: "programming",
  algorithm: "static",
  model: "coder",
  confidence: 0.9,
  readings: { totalMs: 0.2, facts: [], typeMs: {} },
  appliedPolicies: [],
  securityChecks: undefined,
  toolCount: 0,
  plugins: [],
  attempts: [],
  droppedFields: [],
  status: 200,
})
const dialect: any = {
  streamType: "text/event-stream",
  readRequest: (b: any) => ({ model: b.model, turns: [], stream: false }),
  writeReply: (r: any, m: any) => `${text.slice(0, -1)},"routing_metadata":${JSON.stringify(m)}}`,
  errorBody: (e: any) => ({ error: { message: e.message } }),
}
const app = createListenerApp({
  name: "main",
  kind: "inference",
  dialects: new Map([["d", dialect]]),
  operations: [
    {
      id: "chat",
      method: "POST",
      path: "/v1/chat/completions",
      about: "",
      dialect: "d",
      permission: "inference.invoke",
      errors: "inference",
      replies: {},
      handle: async (i: any) => {
        const c = i.call(i.chat)
        return {
          outcome: { record: record(c.startedAt, c.id), reply: { kind: "whole", status: 200, headers: {}, reply: {} } },
        }
      },
    } as any,
  ],
})
const { bench } = await import("/tmp/bench-core.ts")
await bench(app)
