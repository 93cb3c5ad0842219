/** The names the extension puts on the wire [Identifiers]. */

/** Key of the tool list, or of `true`, in `clientCapabilities._meta` of `initialize` (META-1, REQ-1). */
export const TOOLS_META_KEY = "org.mini-me/tools"

/** The request an agent in mode `request` sends for a session's tools (REQ-2). */
export const LIST_METHOD = "_org.mini-me/tools/list"

/** Key of the session id in `params._meta` of every tool call (CALL-3). */
export const SESSION_ID_META_KEY = "org.mini-me/sessionId"

/** Key in `agentCapabilities._meta` under which the agent names its discovery mode (META-4, our decision). */
export const DISCOVERY_META_KEY = "org.acp-client-tools/discovery"

/** What every model name starts with (NAME-1). */
export const MODEL_NAME_PREFIX = "client_"

/** What every extension method of ACP starts with (TOOL-1). */
export const EXTENSION_METHOD_PREFIX = "_"

/** JSON-RPC error code of params that the method does not take. */
export const INVALID_PARAMS = -32602

/** JSON-RPC error code of a fault inside the one who answers. */
export const INTERNAL_ERROR = -32603

/** JSON-RPC error code of a cancelled request. */
export const REQUEST_CANCELLED = -32800
