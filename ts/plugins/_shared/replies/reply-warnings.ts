// The header that tells a client what is wrong with a reply.

type Headers = Readonly<Record<string, string>>

const header = "x-rtr-response-warnings"

export function withReplyWarning(headers: Headers = {}, warning: string): Headers {
  const others = headers[header]
  return { ...headers, [header]: others === undefined ? warning : `${others}, ${warning}` }
}
