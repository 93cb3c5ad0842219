/** How steeply something grows: the slope of the straight line that fits best, by least squares. */
export type Point = readonly [x: number, y: number]

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

/** What y grows by when x grows by one. */
export const of = (points: ReadonlyArray<Point>): number => {
  const middleX = mean(points.map(([x]) => x))
  const middleY = mean(points.map(([, y]) => y))
  const along = points.reduce((sum, [x, y]) => sum + (x - middleX) * (y - middleY), 0)
  return along / points.reduce((sum, [x]) => sum + (x - middleX) ** 2, 0)
}
