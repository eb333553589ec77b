/** Encodes an ID from a platform as a part of a composite ID. The result contains no separator and no markup. */
export function idPart(id: string): string {
  return encodeURIComponent(id.toWellFormed());
}
