/** Encodes an ID from a platform as a part of a composite ID. The result contains no separator and no markup. */
export function idPart(id: string): string {
  return encodeURIComponent(id.toWellFormed());
}

/** Returns the part of a job's ID that distinguishes jobs: `0b9f3c1e` for `sync-0b9f3c1e-…-u1`. */
export function shortRequestId(id: string): string {
  return id.replace(/^sync-/, '').slice(0, 8);
}
