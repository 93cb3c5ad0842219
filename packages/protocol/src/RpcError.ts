/** A JSON-RPC error as the peer sent it, and its text [Errors]. Called where a request of the agent failed. */
import * as Json from "./Json.ts"

export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/**
 * Compact JSON with the keys code, message and, when it is neither absent nor `null`, data, in this order (ERR-1). Data
 * that cannot be written as JSON is left out.
 */
export const toText = ({ code, message, data }: RpcError): string =>
  Json.stringify({ code, message, ...(data === undefined || data === null ? {} : { data }) }) ??
  JSON.stringify({ code, message })
