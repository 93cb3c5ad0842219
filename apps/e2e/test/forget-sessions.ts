/** Sessions that tests left in the state directory they share are forgotten before the next run. */
import { rm } from "node:fs/promises"
import { fileURLToPath } from "node:url"

export default (): Promise<void> =>
  rm(fileURLToPath(new URL("../../../node_modules/.cache/state", import.meta.url)), { recursive: true, force: true })
