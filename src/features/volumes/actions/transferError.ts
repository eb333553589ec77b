/** Reason for the failure of a transfer. `changed`: the source changed meanwhile. `checksum`: the bytes arrived differently. */
export type TransferProblem = 'changed' | 'checksum';

/** Thrown if a file cannot be transferred as it is. */
export class TransferError extends Error {
  readonly problem: TransferProblem;
  /** The local file, or the key. */
  readonly source: string;

  constructor(problem: TransferProblem, source: string) {
    super(problem === 'changed' ? `${source} changed during its transfer` : `the checksum of ${source} does not match`);
    this.name = 'TransferError';
    this.problem = problem;
    this.source = source;
  }
}

/** Returns the MD5 digest that an ETag is, in hexadecimal. Undefined for an object of several parts, or with another ETag. */
export function hexOfMd5(etag: string): string | undefined {
  return /^"?([\da-f]{32})"?$/i.exec(etag)?.[1]?.toLowerCase();
}
