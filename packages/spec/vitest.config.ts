export { default } from "../../vitest.project.ts"
