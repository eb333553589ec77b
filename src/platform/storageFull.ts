/** SQLite's primary result codes for a write that failed, and for a file that cannot grow. */
const SQLITE_CODES: readonly unknown[] = [10, 13];
/** SQLite's extended result codes for a failed fsync of a file and of a directory. */
const FAILED_SYNCS: readonly unknown[] = [1034, 1290];
const SYSTEM_CODES: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Returns whether a write failed because the disk or a quota is full. Nothing was stored, and a retry may succeed. Follows causes. */
export function isStorageFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown };
  if (isFailedSync(error)) return false;
  // The low byte is the primary code.
  if (code === 'ERR_SQLITE_ERROR') return typeof errcode === 'number' && SQLITE_CODES.includes(errcode & 0xff);
  return SYSTEM_CODES.includes(code) || isStorageFull(error.cause);
}

/** Returns whether an fsync of SQLite failed. Earlier writes may be lost, and a retry would not store them. */
export function isFailedSync(error: unknown): boolean {
  return error instanceof Error && FAILED_SYNCS.includes((error as Error & { errcode?: unknown }).errcode);
}
