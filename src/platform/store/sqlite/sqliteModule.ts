import type * as Sqlite from 'node:sqlite';
import { StartFailure } from '../../startFailure.ts';

/**
 * Returns Node's SQLite module. An `import` would fail before the platform could explain the failure.
 *
 * @throws StartFailure nodeTooOld
 */
export function sqliteModule(): typeof Sqlite {
  const loaded: unknown = 'getBuiltinModule' in process ? process.getBuiltinModule('node:sqlite') : undefined;
  const sqlite = loaded as typeof Sqlite | undefined;
  if (sqlite) return sqlite;
  const remedy = 'run the local platform with Node 22.13 or newer';
  throw new StartFailure('nodeTooOld', `Node ${process.version} has no SQLite`, { remedy });
}
