/** What a client can change in an open session: the session config options of ACP (OWN-5). Called by Sessions. */
import type { ClientCapabilities, SessionConfigOption, SetSessionConfigOptionRequest } from "@agentclientprotocol/sdk"
import { Wording } from "@acp-client-tools/protocol"
import type { Grants } from "../Permission.ts"

const YOLO = "yolo"
const ON = "on"
const OFF = "off"

/** True for a client that knows switches; every other is offered a list of two. */
export const hasSwitches = (capabilities: ClientCapabilities | undefined): boolean =>
  (capabilities?.session?.configOptions?.boolean ?? undefined) !== undefined

/** The options and how they stand. */
export const list = (grants: Grants, isSwitch: boolean): Array<SessionConfigOption> => {
  const option = { id: YOLO, name: Wording.yoloName, description: Wording.yoloDescription }
  if (isSwitch) return [{ ...option, type: "boolean", currentValue: grants.yolo }]
  const options = [
    { value: OFF, name: Wording.yoloOff },
    { value: ON, name: Wording.yoloOn }
  ]
  return [{ ...option, type: "select", currentValue: grants.yolo ? ON : OFF, options }]
}

const values = new Map<unknown, boolean>([
  [ON, true],
  [OFF, false],
  [true, true],
  [false, false]
])

/** Sets an option, effective from the next call; or gives what is wrong with the request. */
export const set = (grants: Grants, { configId, value }: SetSessionConfigOptionRequest): string | undefined => {
  if (configId !== YOLO) return Wording.unknownConfigOption(configId)
  const yolo = values.get(value)
  if (yolo === undefined)
    return Wording.configOptionValue(YOLO, `"${ON}" or "${OFF}", or with type "boolean" true or false`)
  grants.yolo = yolo
  return undefined
}
