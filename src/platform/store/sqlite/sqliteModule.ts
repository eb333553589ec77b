import type * as Sqlite from 'node:sqlite';
import { NODE_REMEDY, unsupportedNode } from '../../../machine/nodeVersion.ts';
import { StartFailure } from '../../startFailure.ts';

/**
 * Returns Node's SQLite module. An `import` would fail before the platform could explain the failure.
 *
 * @throws StartFailure nodeTooOld
 */
export function sqliteModule(): typeof Sqlite {
  const problem = unsupportedNode();
  if (problem !== undefined) throw new StartFailure('nodeTooOld', problem, { remedy: NODE_REMEDY });
  return process.getBuiltinModule('node:sqlite');
}
