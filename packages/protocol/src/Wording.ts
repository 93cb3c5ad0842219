/**
 * Every sentence a model, a log or an editor reads, word for word. Constants where nothing varies, functions where
 * something does; no logic beyond putting the parts together. What a command line says of its own flags and files stands
 * with those, and what a key of the agent file takes with that key.
 */
import { LIST_METHOD, REQUEST_CANCELLED, SESSION_ID_META_KEY, TOOLS_META_KEY } from "./Identifiers.ts"

// What the model sees of a tool

/** TOOL-3 */
export const defaultDescription = (method: string): string => `Tool provided by the editor (${method}).`

/** Of a tool of an MCP server that has none of its own. */
export const mcpDescription = (server: string): string => `Tool of the MCP server ${server}.`

/** SCHEMA-1, SCHEMA-4: no final period. */
export const requiredParameters = (names: ReadonlyArray<string>): string => `Required parameters: ${names.join(", ")}`

/** SCHEMA-2: with a final period. */
export const oneOf = (values: ReadonlyArray<string>): string => `One of: ${values.join(", ")}.`

// Why an entry of a list is skipped (LIST-2, NAME-2, SCHEMA-9)

export const notAToolDescription = (why: string): string => `not a tool description: ${why}`
/** The `why` of an entry, or of a field of it, that has another type. Types by their JSON names. */
export const mustBe = (field: string | undefined, expected: string, got: string): string =>
  `${field === undefined ? "" : `${field} `}must be ${expected}, got ${got}`
export const aJsonObject = "a JSON object"
export const aString = "a string"
export const noName = "no name"
export const methodMustStart = (method: string): string =>
  `method "${method}" must start with "_" (an ACP extension method)`
export const schemaTypeMustBeObject = (type: string): string => `inputSchema.type must be "object", got ${type}`
export const schemaTooDeep = (levels: number): string => `inputSchema is nested deeper than ${levels} levels`
export const schemaDataTooDeep = (levels: number): string =>
  `inputSchema holds data nested deeper than ${levels} levels`
export const duplicateToolName = (modelName: string): string => `duplicate tool name "${modelName}"`

/** Of an MCP server's tool. */
export const mcpNeedsTask = "it can only be called as an MCP task, which this agent does not do"

// Why a definition is refused by the client that makes it (CLIENT-1)

/** One fault of a set: the tool by its place, from 1, and its name. */
export const toolFault = (place: number, name: string | undefined, reason: string): string =>
  `tool ${place}${name === undefined ? "" : ` (${JSON.stringify(name)})`}: ${reason}`
export const cannotBeRead = "it cannot be read"
export const executeMustBeFunction = "execute must be a function"
export const schemaNotJson = "inputSchema cannot be written as JSON"
/** CLIENT-3: `why` in the words of the library that tried. */
export const schemaNotCompiled = (why: string): string => `inputSchema cannot be compiled: ${why}`
/** Of a schema of a library: it says nothing a model could read. */
export const schemaHasNoJson = (why: string): string => `inputSchema has no JSON Schema of its input: ${why}`
export const schemaIsShape =
  "inputSchema has schemas of a library in it and is none itself; wrap them, as in z.object({ … })"
/** Of a key that a definition does not have, and another library's definitions do. */
export const keyMeant = (key: string, meant: string): string => `unknown key ${key}; did you mean ${meant}?`
export const toolsNotArray = "tools must be an array of definitions, or a function that gives one"
export const discoveryUnknown = 'discovery must be "meta" or "request"'
export const fallbackTaken =
  'the app has a fallback handler ("*") already; call handle of the offer from it, and put capabilityMeta of the offer into clientCapabilities._meta of initialize'
export const validatorGave = (type: string): string =>
  `the validator of its schema gave ${type}, which is no result of a Standard Schema`
export const schemaOfOtherEffect =
  "inputSchema was made by another copy of effect; define the tool with ClientTool.make, imported beside that copy"
export const schemaNotStandardJson =
  "its library does not make one; an adapter may, such as toStandardJsonSchema of @valibot/to-json-schema"
export const methodReserved = `method "${LIST_METHOD}" is reserved for discovery`
export const duplicateMethod = (method: string): string => `duplicate method "${method}"`

// What the model reads instead of, or around, a result

/** The wrapper of everything that is not a tool's own successful answer [Errors]. */
export const toolError = (text: string): string => `[client tool error: ${text}]`

/** CALL-1 */
export const missingParameters = (names: ReadonlyArray<string>): string =>
  `missing required parameters: ${names.join(", ")}`

/** CALL-4 */
export const argumentsMustBeObject = "arguments must be a JSON object"

/** CALL-5 */
export const unknownTool = (name: string): string => `unknown tool ${name}`

/** PERM-4: the whole text, not wrapped as an error. */
export const rejectedByUser = (modelName: string): string => `[${modelName} rejected by user]`

/** RES-1, RES-2: stands in the place of a block that is not text. */
export const nonTextContent = (type: string): string => `[client tool: non-text content of type ${type} skipped]`

/** RES-6 */
export const resultTooDeep = "result is nested too deeply"

/** TURN-3: the text of a call whose turn was cancelled while it ran, and of one that never began. */
export const cancelled = "cancelled"
export const notStarted = "not started"

/** CUT-2: stands where the middle was; `n` counts code points. */
export const cutMarker = (n: number): string => `\n[… ${n} characters cut …]\n`

/** ERR-2, LOG-4: `timeout` is the duration as the agent file writes it. */
export const noAnswerWithin = (timeout: string): string => `no answer within ${timeout}`

/** ERR-2: the error a call that ran into its deadline ends with. */
export const timeoutError = (
  timeout: string
): { readonly code: number; readonly message: string; readonly data: { readonly reason: string } } => ({
  code: REQUEST_CANCELLED,
  // As the ACP SDK words it.
  message: "Request cancelled",
  data: { reason: noAnswerWithin(timeout) }
})

/** The message of the error a call ends with whose tool has a fault of its own. */
export const toolBroke = (why: string): string => `the tool failed: ${why}`

const times = (n: number): string => (n === 1 ? "1 time" : `${n} times`)

/** LOOP-2: stands behind the result of a call that repeats itself; `n` is how often it was made by now. */
export const loopNote = (name: string, n: number): string =>
  `\n[${name} was called with the same arguments and gave this same answer ${times(n)} in this turn]`

/** LOOP-2: the assistant's last words in a turn that was stopped. */
export const loopStopped = (name: string, n: number): string =>
  `I stopped: ${name} was called with the same arguments and gave the same answer ${times(n)}. Tell me how to go on.`

// What the editor shows

/** PERM-1, REPORT-1: `name` is the client's own name of the tool. */
export const callTitle = (name: string): string => `client: ${name}`

export const permissionAllow = "Allow"
export const permissionAllowAlways = "Always allow in this session"
export const permissionReject = "Reject"

/** Of a call to a tool of an MCP server. */
export const mcpCallTitle = (server: string, name: string): string => `${server}: ${name}`

/** Of calls to the agent's own tools; `path` and `command` as the model wrote them. */
export const readFileTitle = (path: string): string => `Read ${path}`
export const listDirectoryTitle = (path: string): string => `List ${path}`
export const writeFileTitle = (path: string): string => `Write ${path}`
export const runCommandTitle = (command: string): string => `Run ${command}`

/** OWN-4: the command of the agent, and what it answers in Markdown. */
export const toolsCommandDescription = "List the tools the model can call, and what was left out"
export const toolsListed = (n: number): string => (n === 1 ? "1 tool:" : `${n} tools:`)
export const noToolsListed = "There are no tools in this session."
export const toolListed = (name: string, source: string, description: string, parameters: string): string =>
  `- \`${name}\` (${source}): ${description}\n  \`${parameters}\``
export const toolsLeftOut = "Left out:"
export const toolLeftOut = (source: string, what: string): string => `- ${source}: ${what}`
export const entrySkipped = (index: number, reason: string): string => `entry ${index} skipped: ${reason}`

/** OWN-4: where a tool comes from. */
export const sourceBuiltIn = "built-in"
export const sourceClient = "client"
export const sourceMcp = (server: string): string => `MCP server ${server}`

/** OWN-5: the session config option. */
export const yoloName = "Run tools without asking"
export const yoloDescription =
  "Tools run without a permission question, unless the agent file says that each call asks."
export const yoloOff = "Ask first"
export const yoloOn = "Do not ask"

// Lines on the agent's stderr (LOG-1 to LOG-4, META-2). LogLine escapes what the peer wrote before it comes here.

export const logMetaTools = (modelNames: string): string => `[acp] client tools (meta): ${modelNames}`
export const logSessionTools = (sessionId: string, modelNames: string): string =>
  `[acp] session ${sessionId} client tools (request): ${modelNames}`
export const logNoTools = "(none)"
export const logSkipped = (index: number, reason: string): string =>
  `[acp] client tools: ${entrySkipped(index, reason)}`
export const logListFailed = (sessionId: string, why: string): string =>
  `[acp] client tools: session ${sessionId}: ${why}`
export const noToolsArray = "no tools array"
export const logNotAList = (problem: string): string => `[acp] client tools: ${problem}`
export const notAList = `"${TOOLS_META_KEY}" is not a list of tools`
export const notAListButAdvertised = `${notAList}; a client that answers ${LIST_METHOD} needs acp.clientTools.discovery: request`

/** OWN-3: what happened to an MCP server of a session, or to an entry of its list. */
export const logMcp = (sessionId: string, server: string, what: string): string =>
  `[acp] session ${sessionId} MCP server ${server}: ${what}`
export const mcpNotStdio = (type: string): string => `not started: this agent speaks MCP over stdio, not over ${type}`
export const mcpNotServed = "not started: this agent starts no MCP servers"
export const mcpNotStarted = (why: string): string => `not started: ${why}`
export const mcpCannotRun = (command: string, why: string): string => `${JSON.stringify(command)}: ${why}`
/** `said` is the last line of its stderr; empty when there was none. */
export const mcpEnded = (how: string, said: string): string =>
  `${how}; its tools are gone${said === "" ? "" : `; its last words: ${said}`}`
export const mcpEndedEarly = (how: string, said: string): string =>
  `${how} before it had listed its tools${said === "" ? "" : `; its last words: ${said}`}`
export const mcpExited = (code: number): string => `it exited with code ${code}`
export const mcpKilled = (signal: string): string => `it was ended by ${signal}`
export const mcpStoppedWriting = "it closed its stdout"
export const mcpListFailed = (why: string): string => `its tools could not be listed again: ${why}`
export const mcpListEndless = (pages: number): string => `its list of tools has more than ${pages} pages`
export const mcpSaid = (line: string): string => `stderr: ${line}`
/** The message of the error with which a call to a tool of a server ends that is gone. */
export const mcpServerGone = (server: string): string => `the MCP server ${server} is gone`

/** Of a function of the session, offered in mode `meta`. */
export const toolsOfSessionInMeta =
  'tools that differ by session need discovery "request": in mode "meta" the list is sent before there is a session'

/** What a client answers for the list of a session whose tools could not be made. */
export const toolsNotListed = (why: string): string => `the tools of this session cannot be listed: ${why}`

// What a client answers for arguments that do not fit the tool's schema (CLIENT-3)

/** One fault: where, with dots between the parts, and why; the whole of the arguments has no place. */
export const argumentFault = (place: string, why: string): string => (place === "" ? why : `${place}: ${why}`)
/** `more` is how many faults are not told. */
export const invalidArguments = (faults: ReadonlyArray<string>, more: number): string =>
  `invalid arguments: ${faults.join("; ")}${more === 0 ? "" : `; and ${more} more`}`
export const argumentMissing = "is missing"
export const argumentNotAccepted = "is not accepted"
/** `values` as JSON texts. */
export const argumentMustBeOneOf = (values: ReadonlyArray<string>): string => `must be one of ${values.join(", ")}`
export const argumentsNotChecked = (why: string): string => `the arguments cannot be checked: ${why}`

// What a client answers for a handler that gave no result (CLIENT-4)

export const toolFailedSilently = "the tool failed and did not say why"
/** `type` as `typeof` has it. */
export const notAJsonValue = (type: string): string => `the tool returned a ${type}, which is not a JSON value`
export const tooManyBytes = (limit: number): string => `the tool returned more than ${limit} bytes`
export const notWritable = (why: string): string => `the tool returned a value that cannot be written as JSON: ${why}`
export const noReason = "no reason given"

// What the operating system says, by its codes

export const systemErrors: Readonly<Partial<Record<string, string>>> = {
  ENOENT: "there is no such file",
  EEXIST: "there is a file of that name",
  EISDIR: "it is a folder",
  ENOTDIR: "a part of the path is not a folder",
  ELOOP: "its symbolic links lead in a circle",
  ENAMETOOLONG: "its name is too long",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  EFBIG: "the file would become too large",
  ENOSPC: "no space left",
  EDQUOT: "no space left",
  EMFILE: "too many open files"
}

// What an ACP error says

export const promptRunning = "a prompt turn is already running in this session; wait for its end, or cancel it"
export const sessionOpening = "this session is being opened; wait for the answer to that"
export const sessionClosing = "this session is being closed; wait for the answer to that"
export const sessionUnknown = (sessionId: string): string => `there is no session ${sessionId}`
export const sessionOpen = (sessionId: string): string => `the session ${sessionId} is open already`
/** SESS-1: `owner` is a process id. */
export const sessionOpenElsewhere = (sessionId: string, owner: number): string =>
  `the session ${sessionId} is open in another process (${owner}); close it there first`
export const sessionOpenOnHost = (sessionId: string, host: string, file: string): string =>
  `the session ${sessionId} is open on another machine, ${host}; close it there, or delete ${file} if nothing runs there any more`
export const sessionFromFuture = (sessionId: string, version: number, ours: number): string =>
  `the session ${sessionId} was written by a newer agent, in format ${version}; this agent reads ${ours}`
export const sessionNotWritten = (file: string, why: string): string =>
  `sessions cannot be kept in ${file}: ${why}; sessions.directory in the agent file can name another place`
export const sessionNotRead = (file: string, why: string): string => `${file} cannot be read: ${why}`
/** The title of a session whose first prompt has no words. */
export const untitled = "(untitled)"
export const unknownCursor = "cursor must be the nextCursor of an earlier answer"
export const unknownConfigOption = (id: string): string => `there is no session config option ${JSON.stringify(id)}`
export const configOptionValue = (id: string, accepted: string): string => `the option ${id} takes ${accepted}`
export const lockUnreadable = "it is there and cannot be read; delete it"
export const notAFile = "it is not a file"
export const noHardLinks = "its file system has no hard links, which locks are made with"
export const notInitialized = "initialize must be answered before a session is opened"
export const blockNotSupported = (type: string): string => `prompt blocks of type "${type}" are not supported`
export const promptEmpty = "the prompt is empty"
export const promptTooDeep = (levels: number): string => `the prompt is nested deeper than ${levels} levels`
export const cwdMustBeAbsolute = "cwd must be an absolute path"
export const listParams = "params must hold sessionId and cwd, both strings"
export const callWithoutSession = `_meta must carry the session id under "${SESSION_ID_META_KEY}"`
export const modelFailed = (why: string): string => `the model failed: ${why}`
export const modelCutShort = "the model failed: its answer was cut short"
export const modelEndedWith = (reason: string): string => `the model failed: its answer ended with "${reason}"`
export const modelUnreadable = "the model failed: its answer is not in the format of its provider"
/** `address` with scheme and port; `why` is what the system calls it, such as `ECONNREFUSED`. */
export const modelDoesNotAnswer = (address: string, why: string): string =>
  `the model failed: no answer from ${address} (${why}); is the server running there?`
/** `why` in the server's words; `advice` is one of the sentences below. */
export const modelAnsweredError = (why: string, status: number, advice: string | undefined): string =>
  `the model failed: ${why} (HTTP ${status})${advice === undefined ? "" : `; ${advice}`}`
export const modelCheckKey = "check the API key in the environment; model.apiKeyEnv can name its variable"
export const modelCheckAddress = "check model.baseUrl and model.name"
/** The provider found fault with what it was told of a tool. */
export const modelRefusesTool = (message: string, name: string): string => `${message}; this is about the tool ${name}`
/** `how`: `20 s`, or `until` and a date. */
export const modelAsksToWait = (how: string): string => `the server asks to wait ${how}`
export const modelNoStream = (url: string, contentType: string): string =>
  `${url} answered with ${contentType}, not with a stream of events; check model.baseUrl`
export const scriptEnded = (steps: number): string =>
  `the script ends after step ${steps}, and the model was asked for one more`
export const scriptUnknownKey = "there is no such key in a script"
export const scriptMissingKey = "it is missing"
export const packageMissing = (name: string): string => `the package ${name} is not installed; npm install ${name}`
export const clientGone = "the connection to the client is closed"

/** A line longer than the ACP SDK reads ends the connection. */
export const messageTooLarge =
  "a message of more than 32 MiB came in; the connection is closed, because the ACP SDK reads no longer line"

// What is said about an agent file (CFG-4)

/** `value` is the JSON text of what the file says; `undefined` when the key is missing. */
export const configProblem = (key: string, value: string | undefined, accepted: string): string =>
  value === undefined
    ? `${key} is missing; it takes ${accepted}`
    : `${key === "" ? "the file" : key}: ${value} is not accepted; it takes ${accepted}`
export const configProvider =
  'script, openai-compatible, or the package of a provider of the AI SDK, such as "@ai-sdk/anthropic"'
export const configNoKey = "no key: model.apiKeyEnv names the environment variable that holds it"
/** `specifier` is what `import` takes: a package, or a part of one behind a slash. */
export const providerMissing = (specifier: string, directories: ReadonlyArray<string>): string => {
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")
  const places = [...new Set(directories)]
  return `model.provider: ${specifier} is neither built in (script and openai-compatible are) nor installed in ${places.join(" or ")}; npm install --prefix ${JSON.stringify(places[0] ?? ".")} ${name}`
}
export const providerNotLoaded = (specifier: string, why: string): string =>
  `model.provider: ${specifier} cannot be loaded: ${why}`
export const providerNone = (specifier: string): string =>
  `model.provider: ${specifier} is no provider of the AI SDK: none of its exports is a function create… that makes one`
/** `known` are such as `v4`. */
export const providerVersion = (specifier: string, known: ReadonlyArray<string>): string =>
  `model.provider: ${specifier} makes no model of the AI SDK's interface in a version known here (${known.join(", ")}); install another version of it`
/** `key` is that of the agent file to look at; `who` refused it. */
export const providerRefuses = (key: string, who: string, why: string): string => `${key}: ${who} says: ${why}`
export const configKeyNotSet = (variable: string): string =>
  `model.apiKeyEnv: the environment variable ${variable} is not set`
export const configKeyNotSendable = (variable: string): string =>
  `model.apiKeyEnv: the environment variable ${variable} holds characters that no key has`
export const configUnknownKey = (key: string, nearest: string | undefined): string =>
  `warning: unknown key ${key}${nearest === undefined ? "" : `; did you mean ${nearest}?`}`

// What a client says about an agent (CLIENT-8)

export const noise = (line: string): string => `the agent wrote something on stdout that is not ACP: ${line}`
export const moreNoise = "the agent goes on writing on stdout what is not ACP; this is not shown any more"
export const cannotStart = (command: string, why: string): string =>
  `cannot start the agent ${JSON.stringify(command)}: ${why}; check its name, its path, and that it can be executed`
export const noSuchCommand = "there is no such command"
export const noSuchCommandOrFolder = (folder: string): string =>
  `there is no such command, or no folder ${JSON.stringify(folder)}`
export const waitingForInitialize = "waiting for the agent to answer initialize"
/** `seconds` may be a fraction. */
export const noInitialize = (seconds: number): string =>
  `the agent did not answer initialize within ${seconds} s; is it an ACP agent? Some are one only with a flag such as --acp`
/** `version` as JSON text. */
export const otherVersion = (version: string, ours: number): string =>
  `the agent answered protocol version ${version}, and this client speaks ${ours} only; try another version of the agent`
export const agentExited = (code: number): string => `the agent exited with code ${code}`
export const agentKilled = (signal: string): string => `the agent was ended by ${signal}`
export const agentStoppedReading = "the agent closed its stdin"
export const agentStoppedWriting = "the agent closed its stdout"
export const closedHere = "the connection was closed on this side"
export const paramsAreNotJson = (method: string): string =>
  `${method} was not sent: its params have no JSON text; a BigInt, a cycle, or values nested too deep`
export const agentGone = "the connection to the agent ended"
/** `what` is one of the sentences above. */
export const beforeItAnswered = (what: string, method: string): string =>
  `${what}, before it answered ${method}${method === "initialize" ? "; run its command alone to see why" : ""}`
/** `advice` is the sentence below, or none. */
export const agentAnsweredError = (method: string, error: string, advice: string | undefined): string =>
  `the agent answered ${method} with an error: ${error}${advice === undefined ? "" : `; ${advice}`}`
export const agentWantsLogin = "it wants a login first: by a command of its own, or by one of its authMethods"
export const agentLacks = (method: string): string => `the agent does not offer ${method}`
export const answerLacks = (method: string, field: string): string => `the agent's answer to ${method} has no ${field}`
export const notEnded = (why: string): string => `what ran for the agent could not be ended: ${why}`
export const policyFailed = (why: string): string => `a permission question could not be answered: ${why}`
export const updateWithoutKind = "its params have no sessionId, or its update no sessionUpdate"
export const optionNotOffered = (chosen: string, optionIds: ReadonlyArray<string>): string =>
  `a permission question was answered with ${chosen}, which is no optionId of it; it offered ${optionIds.join(", ")}`
export const listWithoutEnd = (pages: number): string =>
  `the agent's list of sessions has more than ${pages} pages; ask for those of one cwd`
export const updateNotHandled = (why: string): string => `an update could not be handled: ${why}`

// What is said about files and terminals

/** `type` by its JSON name: what the function gave that serves the method. */
export const noAnswerTo = (method: string, type: string): string =>
  `the client has a fault: a value of type ${type} is no answer to ${method}`
export const answerTooLong = (limit: number): string =>
  `the answer takes more than ${limit} bytes; ask for a smaller part`
/** `inside` is one of the session's folders. */
export const pathMustBeAbsolute = (path: string, inside: string): string =>
  `${JSON.stringify(path)} is not an absolute path; begin with a folder of this session, such as ${inside}`
export const pathOutside = (path: string, folders: ReadonlyArray<string>): string =>
  `${path} leads out of this session's folders; use a path in ${folders.join(" or ")}`
export const pathIsFolder = (path: string): string => `${path} is a folder; name a file in it`
export const pathIsNoFile = (path: string): string =>
  `${path} is a pipe, a socket or a device; only files can be read and written`
export const fileMissing = (path: string): string => `there is no file ${path}; check the path`
export const fileNotText = (path: string): string =>
  `${path} is not text in UTF-8; look at it with a program that knows what it is`
export const fileTooLong = (path: string, limit: number): string =>
  `more than ${limit} bytes of ${path} were asked for; ask for fewer lines with line and limit`
export const linesCountFromOne = "line counts from 1"
export const fileWritten = (path: string): string => `${path} is written`
export const fileNotRead = (path: string, why: string): string => `${path} cannot be read: ${why}`
export const fileNotWritten = (path: string, why: string): string => `${path} cannot be written: ${why}`
export const pathIsNoFolder = (path: string): string => `${path} is no folder; name one`
export const folderNotListed = (path: string, why: string): string => `${path} cannot be listed: ${why}`
export const folderEmpty = "(the folder is empty)"
export const answerWithout = (method: string, field: string): string =>
  `the client's answer to ${method} has no ${field}; nothing can be said of what it did`
/** What is told of a command that has ended, below what it wrote. */
export const commandExited = (code: number): string => `[exit code ${code}]`
export const commandKilled = (signal: string): string => `[ended by ${signal}]`
export const commandOutputCut = "[its earlier output is not shown]"
export const folderMissing = (path: string): string => `${path} is no folder; a command needs one to run in`
export const commandNotStarted = (command: string, why: string): string =>
  `cannot run ${JSON.stringify(command)}: ${why}; command is one program, args are its arguments, and only a shell, such as sh with -c, knows shell syntax`
export const terminalUnknown = (terminalId: string): string =>
  `there is no terminal ${terminalId} in this session; one that was released is gone`
