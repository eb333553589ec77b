/** SQLite's primary result codes for a write that failed, and for a file that cannot grow. */
const SQLITE_CODES: readonly unknown[] = [10, 13];
const SYSTEM_CODES: readonly unknown[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Returns whether a write failed because the disk or a quota is full. Nothing was stored, and a retry may succeed. Follows causes. */
export function isStorageFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, errcode } = error as Error & { code?: unknown; errcode?: unknown };
  // The low byte is the primary code.
  if (code === 'ERR_SQLITE_ERROR') return typeof errcode === 'number' && SQLITE_CODES.includes(errcode & 0xff);
  return SYSTEM_CODES.includes(code) || isStorageFull(error.cause);
}
