import { type Server } from "node:http"
/** Starts a backend that answers as `name`. */
export declare function startBackend(name: string, port: number): Promise<Server>
