/** Model providers for the reference agent through the AI SDK's provider interface. */
export * as LanguageModel from "./LanguageModel.ts"
export * as OpenAiCompatible from "./OpenAiCompatible.ts"
