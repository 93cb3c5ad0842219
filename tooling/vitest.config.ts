import { mergeConfig } from "vitest/config"
import project from "../vitest.project.ts"

// Node calls its own type stripping experimental, each time.
export default mergeConfig(project, { test: { execArgv: ["--disable-warning=ExperimentalWarning"] } })
