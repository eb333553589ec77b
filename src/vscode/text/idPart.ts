/** An id of a platform as a part of an id of ours: without separators, and without any text that could become more than text. */
export function idPart(id: string): string {
  return encodeURIComponent(id.toWellFormed());
}
