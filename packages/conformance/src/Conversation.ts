import { isObject, show } from "./Json.ts"
import type { Json } from "./Json.ts"
import type { Lines } from "./Lines.ts"
import { equal, fill, fillText, match, matchAll, TranscriptError } from "./Matcher.ts"
import type { Bindings } from "./Matcher.ts"
import { within } from "./Peer.ts"
import type { Peer } from "./Peer.ts"
import * as Received from "./Received.ts"
import type { RelayHost } from "./RelayHost.ts"
import type { Step, Steps, Transcript } from "./Transcript.ts"

/** What a step waited for did not come, or something else did. */
export class StepFailure extends Error {
  override readonly name = "StepFailure"
}

/** The process under test and, when it is a client, the runner's end of its agent. */
export interface Connection {
  readonly peer: Peer
  readonly relay?: RelayHost
  /** Told of every message that is sent. */
  readonly onSend: (message: Json) => void
}

const barrierMethod = "_transcript/barrier"
const barrierCodes: ReadonlyArray<Json> = [-32601, -32600] // the second one before `initialize`

/** A conversation under way: does one step after the other and remembers what has been read and saved. */
export class Conversation {
  readonly #transcript: Transcript
  readonly #connection: Connection
  readonly #incoming: Lines
  readonly #forbidden: Array<{ readonly pattern: Json; readonly from: number }> = []
  readonly #checksStdout: boolean
  #bindings: Bindings
  #read = 0
  #readStderr = 0
  #readStdout = 0
  #barriers = 0
  #closed = false
  #deadline = 0

  constructor(transcript: Transcript, connection: Connection, bindings: Bindings) {
    this.#transcript = transcript
    this.#connection = connection
    this.#incoming = connection.relay?.incoming ?? connection.peer.stdout
    this.#checksStdout = transcript.steps.some((step) => "expectStdout" in step)
    this.#bindings = bindings
  }

  /** Does one step; rejects with a {@link StepFailure}. */
  async step(step: Step): Promise<void> {
    this.#deadline = performance.now() + (step.timeoutMs ?? this.#transcript.timeoutMs ?? 5000)
    const { peer, relay } = this.#connection
    if ("send" in step) this.#send([step.send])
    else if ("sendTogether" in step) this.#send(step.sendTogether)
    else if ("sendRaw" in step) this.#sendRaw(step.sendRaw)
    else if ("sendStderr" in step) relay?.order({ stderr: fillText(step.sendStderr, this.#bindings) })
    else if ("expect" in step) await this.#expect(step.expect)
    else if ("expectInAnyOrder" in step) await this.#expectInAnyOrder(step.expectInAnyOrder)
    else if ("expectNothing" in step) await this.#expectNothing()
    else if ("expectStderr" in step) await this.#expectStderr(step.expectStderr)
    else if ("expectNoStderr" in step) this.#forbidden.push({ pattern: step.expectNoStderr, from: this.#readStderr })
    else if ("expectStdout" in step) await this.#expectStdout(step.expectStdout)
    else if ("expectClose" in step) await this.#expectClose()
    else if ("expectExit" in step) await this.#expectExit(step.expectExit)
    else if ("signal" in step) peer.signal(step.signal)
    else {
      this.#closed = true
      if (relay === undefined) peer.closeInput()
      else relay.order("exitAgent" in step ? { exit: step.exitAgent } : { close: true })
    }
  }

  /** What must hold once the process under test is gone: nothing unexpected was left, no forbidden line came. */
  finish(): void {
    const { stderr } = this.#connection.peer
    for (const { pattern, from } of this.#forbidden) {
      const line = stderr.all.slice(from).find(({ text }) => this.#matches(pattern, text))
      if (line !== undefined) throw new StepFailure(`forbidden on stderr: ${show(pattern)}\n  found: ${line.text}`)
    }
    if (this.#transcript.allowTrailing === true) return
    if (this.#incoming.flooded) throw new StepFailure("the peer flooded its output; reading it was given up")
    const left = this.#next()
    if (left !== undefined) throw new StepFailure(`unexpected after the last step: ${Received.tell(left)}`)
    const line = this.#checksStdout ? this.#nextStdout() : undefined
    if (line !== undefined) throw new StepFailure(`unexpected on stdout after the last step: ${show(line)}`)
    if ((this.#connection.relay?.starts ?? 0) > 1) throw new StepFailure("the client started its agent more than once")
  }

  #sendRaw(raw: Steps["sendRaw"]): void {
    this.#connection.onSend(typeof raw === "string" ? raw : { base64: raw.base64 })
    const text = typeof raw === "string" ? fillText(raw, this.#bindings) : raw.base64
    this.#write(Buffer.from(text, typeof raw === "string" ? "utf8" : "base64"))
  }

  async #expect(pattern: Json): Promise<void> {
    const message = await this.#message(pattern)
    this.#accept(pattern, message)
  }

  async #expectInAnyOrder(patterns: ReadonlyArray<Json>): Promise<void> {
    const messages: Array<Json> = []
    while (messages.length < patterns.length) messages.push(await this.#message(patterns, messages))
    const bindings = matchAll(patterns, messages, this.#bindings)
    if (bindings === undefined) {
      const alone = patterns.filter((pattern) => !messages.some((message) => this.#matches(pattern, message)))
      const missing = `nothing matches ${alone.map((pattern) => show(pattern)).join("\n    and ")}`
      throw this.#unexpected(alone.length === 0 ? "not all patterns can be met" : missing, patterns, messages)
    }
    this.#bindings = bindings
  }

  async #expectStderr(pattern: Json): Promise<void> {
    const { stderr } = this.#connection.peer
    const line = await stderr.until(() => {
      const found = stderr.all.findIndex(({ text }, at) => at >= this.#readStderr && this.#matches(pattern, text))
      if (found >= 0) this.#readStderr = found + 1
      return found < 0 ? undefined : stderr.all[found]
    }, this.#deadline)
    if (line === undefined) throw new StepFailure(`no such line came on stderr: ${show(pattern)}${await this.#state()}`)
    this.#accept(pattern, line.text)
  }

  async #expectStdout(pattern: Json): Promise<void> {
    const line = await this.#connection.peer.stdout.until(() => this.#nextStdout(), this.#deadline)
    if (line === undefined)
      throw new StepFailure(`no line came on stdout, expected ${show(pattern)}${await this.#state()}`)
    const isText = typeof pattern === "string" || (isObject(pattern) && ("$regex" in pattern || "$contains" in pattern))
    const received: Received.Received = isText ? { message: line } : Received.parse({ text: line })
    if ("broken" in received) throw new StepFailure(`expected ${show(pattern)} on stdout, got ${received.broken}`)
    this.#accept(pattern, received.message)
  }

  async #expectClose(): Promise<void> {
    const next = await this.#incoming.until(() => this.#next(), this.#deadline)
    if (next !== undefined) throw new StepFailure(`expected the connection to close, got ${Received.tell(next)}`)
    if (!this.#incoming.ended) throw new StepFailure(`the connection is still open${await this.#state()}`)
  }

  async #expectExit(pattern: Json): Promise<void> {
    const exit = await within(this.#connection.peer.exited, this.#deadline - performance.now())
    if (exit === undefined) throw new StepFailure(`the process is still running, expected exit ${show(pattern)}`)
    if (!this.#matches(pattern, exit)) throw new StepFailure(`expected exit ${show(pattern)}, got ${show(exit)}`)
  }

  #write(bytes: Uint8Array): void {
    const { peer, relay } = this.#connection
    if (relay === undefined) peer.write(bytes)
    else relay.write(bytes)
  }

  #send(messages: ReadonlyArray<Json>): void {
    const filled = messages.map((message) => fill(message, this.#bindings))
    for (const message of filled) this.#connection.onSend(message)
    this.#write(Buffer.from(filled.map((message) => `${JSON.stringify(message)}\n`).join("")))
  }

  /** Proves that the peer has sent nothing: it answers a request that no one knows before anything else. */
  async #expectNothing(): Promise<void> {
    if (this.#closed) {
      const next = await this.#incoming.until(() => this.#next(), this.#deadline)
      if (next !== undefined)
        throw new StepFailure(`expected nothing, got ${Received.tell(next)}${await this.#state()}`)
      if (!this.#incoming.ended) throw new StepFailure(`the peer's output did not end${await this.#state()}`)
      return
    }
    this.#barriers++
    const id = `transcript-barrier-${this.#barriers}`
    this.#send([{ jsonrpc: "2.0", id, method: barrierMethod, params: {} }])
    const next = await this.#incoming.until(() => this.#next(), this.#deadline)
    if (next === undefined) throw new StepFailure(`the barrier request was not answered${await this.#state()}`)
    const answer = "message" in next && isObject(next.message) ? next.message : {}
    if (!equal(answer["id"], id))
      throw new StepFailure(`expected nothing, got ${Received.tell(next)}${await this.#state()}`)
    const error = isObject(answer["error"]) ? answer["error"] : {}
    if (!barrierCodes.includes(error["code"] ?? null)) {
      throw new StepFailure(`an unknown extension method must be answered -32601, got ${Received.tell(next)}`)
    }
  }

  /** The next message, which must be JSON. */
  async #message(pattern: Json, before: ReadonlyArray<Json> = []): Promise<Json> {
    const next = await this.#incoming.until(() => this.#next(), this.#deadline)
    const came = before.length === 0 ? "" : `\n  ${before.length} came: ${show(before)}`
    if (next === undefined)
      throw new StepFailure(`nothing came, expected ${show(pattern)}${came}${await this.#state()}`)
    if ("broken" in next) throw new StepFailure(`expected ${show(pattern)}, got ${next.broken}`)
    return next.message
  }

  /** Takes the next message that is not to be ignored. */
  #next(): Received.Received | undefined {
    for (;;) {
      const line = this.#incoming.all[this.#read]
      if (line === undefined) return undefined
      this.#read++
      const received = Received.parse(line)
      const ignored = (this.#transcript.ignore ?? []).some(
        (pattern) => "message" in received && this.#matches(pattern, received.message)
      )
      if (!ignored) return received
    }
  }

  /** Takes the client's next line on stdout that is not empty. */
  #nextStdout(): string | undefined {
    const { all } = this.#connection.peer.stdout
    while (all[this.#readStdout]?.text === "") this.#readStdout++
    const line = all[this.#readStdout]
    if (line !== undefined) this.#readStdout++
    return line?.text
  }

  #accept(pattern: Json, value: Json): void {
    const outcome = match(pattern, value, this.#bindings)
    if ("difference" in outcome) throw this.#unexpected(outcome.difference, pattern, value)
    this.#bindings = outcome.bindings
  }

  /** Whether a value matches; not so when the pattern needs a name that has not been saved yet. */
  #matches(pattern: Json, value: Json): boolean {
    try {
      return "bindings" in match(pattern, value, this.#bindings)
    } catch (error) {
      if (error instanceof TranscriptError) return false
      throw error
    }
  }

  #unexpected(difference: string, pattern: Json, received: Json): StepFailure {
    return new StepFailure(`${difference}\n  expected: ${show(pattern)}\n  received: ${show(received)}`)
  }

  /** Why nothing more may come, in words. */
  async #state(): Promise<string> {
    const { peer } = this.#connection
    // its output ends a moment before it does
    const exit = this.#incoming.ended ? await within(peer.exited, 500) : peer.exit
    if (exit !== undefined) return `\n  the process under test has ended: ${exit}`
    if (this.#incoming.flooded) return "\n  the peer flooded its output; reading it was given up"
    return this.#incoming.ended ? "\n  the connection has ended" : ""
  }
}
