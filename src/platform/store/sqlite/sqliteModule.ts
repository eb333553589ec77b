import type * as Sqlite from 'node:sqlite';
import { StartFailure } from '../../startFailure.ts';

/**
 * Node's SQLite. Asked for rather than imported: an import fails before anything can be explained.
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
