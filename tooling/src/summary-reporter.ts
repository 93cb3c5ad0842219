/** Vitest's closing line for machines, `N passed, N failed`, with the requirements gate before it. Named in vitest.config.ts. */
import { requirements } from "@acp-client-tools/spec"
import type { Reporter, TestModule, Vitest } from "vitest/node"
import * as RequirementsGate from "./requirements-gate.ts"

export default class SummaryReporter implements Reporter {
  private vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.vitest = vitest
  }

  async onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<unknown>): Promise<void> {
    const count = { passed: 0, failed: unhandled.length, skipped: 0, pending: 0 }
    const passed: Array<string> = []
    for (const module of modules) {
      count.failed += module.errors().length // the file itself did not load
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        count[state]++
        if (state === "passed") passed.push(test.fullName)
      }
    }
    const isWhole = await this.isWhole(modules)
    const faults = isWhole ? this.gate(passed, count.skipped) : []
    count.failed += faults.length
    if (faults.length > 0) process.exitCode = 1
    const line = `${count.passed} passed, ${count.failed} failed${count.skipped > 0 ? `, ${count.skipped} skipped` : ""}`
    const proven = isWhole ? [RequirementsGate.summary(requirements(), passed)] : []
    setImmediate(() => process.stdout.write([...faults, ...proven, line].map((text) => `${text}\n`).join("")))
  }

  /** False for a run that was told to leave tests out: the gate says nothing about it. */
  private async isWhole(modules: ReadonlyArray<TestModule>): Promise<boolean> {
    if (this.vitest === undefined || this.vitest.config.testNamePattern !== undefined) return false
    if (this.vitest.config.project.length > 0) return false
    return modules.length === (await this.vitest.globTestSpecifications()).length
  }

  private gate(passed: ReadonlyArray<string>, skipped: number): ReadonlyArray<string> {
    return [
      ...RequirementsGate.faults(requirements(), passed),
      ...(skipped > 0 ? [`${skipped} tests are skipped; a test runs or is deleted`] : [])
    ].map((fault) => `requirements gate: ${fault}`)
  }
}
