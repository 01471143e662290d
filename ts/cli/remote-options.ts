// How commands that talk to a running router find it. Apart from the client, so that help loads no client.

export interface RemoteOptions {
  readonly endpoint: string
  /** Name of the environment variable that holds the token. */
  readonly tokenEnv: string
  /** Seconds. */
  readonly timeout: number
}

export const defaultEndpoint = "http://127.0.0.1:8080"
