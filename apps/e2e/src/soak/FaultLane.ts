/** The messages of one direction on their way through the faults of a plan. Two of them make a FaultRelay. */
import type { Fault } from "./FaultPlan.ts"

export interface Options {
  /** What happens to the message of this number. */
  readonly faultOf: (message: number) => Fault | undefined
  /** Writes to the receiver. */
  readonly write: (bytes: Buffer) => void
  /** Hears of every message as it was written, and what happens to it. */
  readonly onTaken: (line: Buffer, message: number, fault: Fault | undefined) => void
  /** Hears of every line as the receiver reads it. */
  readonly onDelivered: (line: Buffer) => void
}

export interface FaultLane {
  /** Takes a message, without its line feed. */
  readonly take: (line: Buffer) => void
  /** Delivers all that waits; from here on every message passes unharmed. */
  readonly calm: () => void
}

const LINE_FEED = 10

/** How long a message waits for those it is to come behind, in ms: there may be none. */
const REORDER_WITHIN = 50

const cut = (line: Buffer, part: number): Buffer => line.subarray(0, Math.floor(line.length * part))

const corrupted = (line: Buffer, part: number, byte: number): Buffer => {
  const changed = Buffer.from(line)
  const at = Math.floor(line.length * part)
  // Another byte than before, whichever was drawn.
  changed[at] = line[at] === byte ? byte ^ 1 : byte
  return changed
}

interface Held {
  readonly line: Buffer
  behind: number
}

export const make = ({ faultOf, onDelivered, onTaken, write }: Options): FaultLane => {
  let message = 0
  let isCalm = false
  /** What the receiver has of a line whose end has not come. */
  let fragment = Buffer.alloc(0)
  let held: Array<Held> = []
  let waiting: Array<() => void> = []
  let delay: NodeJS.Timeout | undefined

  const deliver = (bytes: Buffer): void => {
    write(bytes)
    fragment = Buffer.concat([fragment, bytes])
    for (let end = fragment.indexOf(LINE_FEED); end >= 0; end = fragment.indexOf(LINE_FEED)) {
      onDelivered(fragment.subarray(0, end))
      fragment = fragment.subarray(end + 1)
    }
  }
  const deliverLine = (line: Buffer): void => deliver(Buffer.concat([line, Buffer.from([LINE_FEED])]))

  const release = (due: (one: Held) => boolean): void => {
    const released = held.filter(due)
    held = held.filter((one) => !released.includes(one))
    released.forEach(({ line }) => deliverLine(line))
  }

  const hold = (line: Buffer, behind: number): void => {
    const one: Held = { line, behind: behind + 1 }
    held.push(one)
    setTimeout(() => release((other) => other === one), REORDER_WITHIN)
  }

  const pass = (line: Buffer, fault: Fault | undefined): void => {
    switch (fault?.kind) {
      case "drop":
        break
      case "duplicate":
        deliverLine(line)
        deliverLine(line)
        break
      case "reorder":
        hold(line, fault.behind)
        break
      case "truncate":
        if (fault.hasLineFeed) deliverLine(cut(line, fault.part))
        else deliver(cut(line, fault.part))
        break
      case "corrupt":
        deliverLine(corrupted(line, fault.part, fault.byte))
        break
      default:
        deliverLine(line)
    }
    release((one) => --one.behind <= 0)
  }

  const goOn = (): void => {
    delay = undefined
    const due = waiting
    waiting = []
    due.forEach((next) => next())
  }

  return {
    take: (line) => {
      const fault = isCalm ? undefined : faultOf(message)
      onTaken(line, message, fault)
      message++
      const next = () => {
        if (delay !== undefined) waiting.push(next)
        else pass(line, fault)
      }
      if (fault?.kind === "delay" && delay === undefined) delay = setTimeout(goOn, fault.milliseconds)
      next()
    },
    calm: () => {
      isCalm = true
      clearTimeout(delay)
      goOn()
      release(() => true)
      // What comes now is to begin on a line of its own.
      if (fragment.length > 0) deliver(Buffer.from([LINE_FEED]))
    }
  }
}
