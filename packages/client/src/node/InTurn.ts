/** Work on things of one name, one after the other, in the order it came. Used by LocalFiles, for paths. */

export type InTurn = <A>(name: string, work: () => Promise<A>) => Promise<A>

export const make = (): InTurn => {
  const last = new Map<string, Promise<void>>()
  return (name, work) => {
    const mine = (last.get(name) ?? Promise.resolve()).then(work)
    const over: Promise<void> = mine
      .then(
        () => undefined,
        () => undefined
      )
      .then(() => {
        if (last.get(name) === over) last.delete(name)
      })
    last.set(name, over)
    return mine
  }
}
