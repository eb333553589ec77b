/**
 * Reason for the failure of a transfer. `changed`: the source changed meanwhile. `checksum`: the bytes arrived differently. `notPath`: the key
 * would lead out of the folder.
 */
export type TransferProblem = 'changed' | 'checksum' | 'notPath';

const MESSAGES: Readonly<Record<TransferProblem, (source: string) => string>> = {
  changed: (source) => `${source} changed during its transfer`,
  checksum: (source) => `the checksum of ${source} does not match`,
  notPath: (source) => `the key ${source} is not a path`,
};

/** Thrown if a file cannot be transferred as it is. */
export class TransferError extends Error {
  readonly problem: TransferProblem;
  /** The local file, or the key. */
  readonly source: string;

  constructor(problem: TransferProblem, source: string) {
    super(MESSAGES[problem](source));
    this.name = 'TransferError';
    this.problem = problem;
    this.source = source;
  }
}

/** Returns the MD5 digest that an ETag is, in hexadecimal. Undefined for an object of several parts, or with another ETag. */
export function hexOfMd5(etag: string): string | undefined {
  return /^"?([\da-f]{32})"?$/i.exec(etag)?.[1]?.toLowerCase();
}

/** Returns the MD5 digest of the MD5 digests of all parts, in hexadecimal, and their number. Undefined for another ETag. */
export function partsOfETag(etag: string): { readonly md5: string; readonly count: number } | undefined {
  const [, md5, count] = /^"?([\da-f]{32})-([1-9]\d*)"?$/i.exec(etag) ?? [];
  return md5 === undefined ? undefined : { md5: md5.toLowerCase(), count: Number(count) };
}
