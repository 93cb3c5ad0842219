/** A tools module whose handler is an Effect. Bundled by a test with its own copies of everything it imports. */
import { ClientTool } from "@acp-client-tools/client"
import { Effect } from "effect"

export default [ClientTool.make({ name: "a", execute: (args) => Effect.succeed({ effect: args }) })]
