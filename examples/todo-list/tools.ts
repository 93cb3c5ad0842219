/**
 * Three tools of an editor: a to-do list, and the files that are open. A tools module is a default export of plain
 * objects; `acp-client-tools client --tools tools.ts` offers them to any agent.
 */
import type { ToolDefinition } from "@acp-client-tools/client"

const todos: Array<string> = []

const buffers = new Map([
  ["go", ["main.go", "util.go"]],
  ["typescript", ["index.ts"]]
])

const tools: ReadonlyArray<ToolDefinition> = [
  {
    name: "todo_add",
    description: "Put something on the user's to-do list.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    execute: ({ text }) => {
      if (typeof text !== "string" || text === "") throw new Error("a to-do needs a text")
      todos.push(text)
      return `added as number ${todos.length}`
    }
  },
  {
    name: "todo_list",
    description: "Read the user's to-do list.",
    execute: () => todos.map((todo, index) => `${index + 1}. ${todo}`).join("\n")
  },
  {
    name: "open buffers",
    description: "List the files open in the editor.",
    method: "_com.example/workspace/buffers",
    inputSchema: {
      type: "object",
      properties: { language: { type: "string", description: "Only the buffers of this language." } }
    },
    execute: ({ language }, { signal }) => {
      if (language !== "cobol") {
        return { content: [{ type: "text", text: buffers.get(String(language))?.join("\n") ?? "" }] }
      }
      // The index of this language takes longer than anyone waits; the signal says when the agent has given up.
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason))
      })
    }
  }
]

export default tools
