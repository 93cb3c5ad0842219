/** MCP servers for the reference agent, over the client of the official MCP SDK. */
export * as StdioServer from "./StdioServer.ts"
