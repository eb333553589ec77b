import { openSqliteStore } from '../../../src/platform/store/sqlite.ts';
import { openSqliteLogs } from '../../../src/platform/store/sqliteLogs.ts';
import { storeConformance } from './conformance.ts';
import { logStoreConformance } from './logConformance.ts';
import { usageConformance } from './usageConformance.ts';

storeConformance('SQLite in memory', () => openSqliteStore(':memory:'));
usageConformance('SQLite in memory', () => openSqliteStore(':memory:'));
logStoreConformance('SQLite in a temporary file', () => openSqliteLogs(''));
