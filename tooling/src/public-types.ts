/**
 * Which types of another package a module's public types name. The compiler's checker is asked, not the text: from
 * each export through parameters, results, members, bases and type arguments, through this workspace's own packages.
 * What is imported for use inside a module is no part of its surface and is not looked at.
 */
import {
  API,
  type Checker,
  type Project,
  SignatureKind,
  type Symbol,
  SymbolFlags,
  type Type
} from "typescript/unstable/sync"
import { root } from "./workspace.ts"

const parts = (type: Type): ReadonlyArray<Type | undefined> => {
  if (type.isUnionType() || type.isIntersectionType() || type.isTemplateLiteralType()) return type.getTypes()
  if (type.isIndexType()) return [type.getTarget()]
  if (type.isIndexedAccessType()) return [type.getObjectType(), type.getIndexType()]
  if (type.isSubstitutionType()) return [type.getBaseType(), type.getConstraint()]
  return type.isConditionalType()
    ? [type.getCheckType(), type.getExtendsType(), type.getTrueType(), type.getFalseType()]
    : []
}

class Walk {
  readonly found = new Set<string>()
  readonly #checker: Checker
  readonly #folder: string
  readonly #seen = new Set<string>()

  constructor({ checker }: Project, packageName: string) {
    this.#checker = checker
    this.#folder = `/node_modules/${packageName}/`
  }

  exportsOf(module: Symbol, path: string): void {
    for (const exported of this.#checker.getExportsOfModule(module)) this.#export(exported, `${path}${exported.name}`)
  }

  #export(exported: Symbol, path: string): void {
    const symbol = exported.flags & SymbolFlags.Alias ? this.#checker.getAliasedSymbol(exported) : exported
    if (this.#isForeign(symbol)) this.found.add(path)
    else if (symbol.flags & SymbolFlags.Module) this.exportsOf(symbol, `${path}.`)
    else {
      if (symbol.flags & SymbolFlags.Type) this.#type(this.#checker.getDeclaredTypeOfSymbol(symbol), path)
      if (symbol.flags & SymbolFlags.Value) this.#type(this.#checker.getTypeOfSymbol(symbol), path)
    }
  }

  #type(type: Type | undefined, path: string): void {
    if (type === undefined || this.#seen.has(`${type.id}`)) return
    this.#seen.add(`${type.id}`)
    const symbol = type.getSymbol()
    const alias = type.getAliasSymbol()
    // An unresolved type could be anything, so it counts as found.
    if (type.isErrorType() || this.#isForeign(symbol) || this.#isForeign(alias)) {
      this.found.add(path)
      return
    }
    for (const argument of type.getAliasTypeArguments()) this.#type(argument, path)
    for (const part of parts(type)) this.#type(part, path)
    if (type.isTypeParameter()) this.#type(this.#checker.getConstraintOfTypeParameter(type), path)
    if (type.isTypeReference()) for (const argument of this.#checker.getTypeArguments(type)) this.#type(argument, path)
    if (type.isObjectType() && (symbol === undefined || this.#isOwn(symbol))) this.#members(type, path)
  }

  #members(type: Type, path: string): void {
    for (const base of type.getBaseTypes() ?? []) this.#type(base, path)
    for (const property of this.#checker.getPropertiesOfType(type)) {
      this.#type(this.#checker.getTypeOfSymbol(property), `${path}.${property.name}`)
    }
    for (const { keyType, valueType } of this.#checker.getIndexInfosOfType(type)) {
      this.#type(keyType, `${path}[]`)
      this.#type(valueType, `${path}[]`)
    }
    for (const kind of [SignatureKind.Call, SignatureKind.Construct]) {
      for (const signature of this.#checker.getSignaturesOfType(type, kind)) {
        for (const parameter of signature.getTypeParameters()) this.#type(parameter, path)
        for (const parameter of signature.getParameters()) {
          this.#type(this.#checker.getTypeOfSymbol(parameter), `${path}(${parameter.name})`)
        }
        this.#type(this.#checker.getReturnTypeOfSignature(signature), `${path}()`)
        this.#type(this.#checker.getTypePredicateOfSignature(signature)?.type, `${path}()`)
      }
    }
  }

  #isForeign(symbol: Symbol | undefined): boolean {
    return symbol?.declarations.some(({ path }) => path.includes(this.#folder)) === true
  }

  /** Declared in this workspace; what another package declares is followed no further. */
  #isOwn(symbol: Symbol): boolean {
    return symbol.declarations.every(({ path }) => path.startsWith(root) && !path.includes("/node_modules/"))
  }
}

/** The places in a module's exports that name a type of the package, for example `connect(options).layer`. */
export const mentions = (
  packageName: string,
  { project, file }: { project: string; file: string }
): ReadonlyArray<string> => {
  const api = new API({ cwd: root })
  try {
    const opened = api.updateSnapshot({ openProjects: [project] }).getProject(project)
    const source = opened?.program.getSourceFile(file)
    const module = source && opened?.checker.getSymbolAtLocation(source)
    if (opened === undefined || module === undefined) throw new Error(`${file} is no module of ${project}`)
    const walk = new Walk(opened, packageName)
    walk.exportsOf(module, "")
    return [...walk.found]
  } finally {
    api.close()
  }
}
