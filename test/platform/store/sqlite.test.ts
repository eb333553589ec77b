import { openSqliteStore } from '../../../src/platform/store/sqlite.ts';
import { storeConformance } from './conformance.ts';

storeConformance('SQLite in memory', () => openSqliteStore(':memory:'));
