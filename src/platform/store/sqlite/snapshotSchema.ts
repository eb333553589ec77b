import type { DatabaseSync } from 'node:sqlite';

/*
 * Checks the schema of a snapshot, which is untrusted. Only SELECT reads its rows, but a view, virtual table, or generated column would
 * let the file run its own code in that SELECT.
 */

interface Listed {
  readonly name: string;
  readonly type: string;
}

interface Column {
  readonly name: string;
  readonly hidden: number;
}

/**
 * @param database database with the expected schema of the snapshot's version, and the snapshot attached
 * @param part part of the snapshot that the database receives. Only the main part has triggers.
 * @returns a description of the first difference, or undefined if the schemas match
 */
export function schemaProblem(database: DatabaseSync, part: 'main' | 'logs'): string | undefined {
  const tables = listed(database, 'snapshot');
  const active = tables.find(({ type }) => type !== 'table');
  if (active) return `${active.name} is not an ordinary table (type ${active.type})`;
  const triggers = triggersOf(database, 'main');
  const trigger = triggersOf(database, 'snapshot').find((name) => !triggers.includes(name));
  if (part === 'main' && trigger !== undefined) return `the trigger ${trigger} is unknown`;
  for (const { name } of listed(database, 'main')) {
    if (!tables.some((table) => table.name === name)) return `the table ${name} is missing`;
    if (columnsOf(database, 'snapshot', name) !== columnsOf(database, 'main', name))
      return `${name} has different columns`;
  }
  return undefined;
}

function listed(database: DatabaseSync, schema: 'main' | 'snapshot'): Listed[] {
  const own = "SELECT name, type FROM pragma_table_list WHERE schema = ? AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
  return database.prepare(own).all(schema) as unknown as Listed[];
}

function triggersOf(database: DatabaseSync, schema: 'main' | 'snapshot'): string[] {
  const rows = database.prepare(`SELECT name FROM ${schema}.sqlite_master WHERE type = 'trigger'`).all();
  return rows.map(({ name }) => name as string);
}

/** Returns the columns as a string, for comparison. */
function columnsOf(database: DatabaseSync, schema: 'main' | 'snapshot', table: string): string {
  const columns = database.prepare('SELECT name, hidden FROM pragma_table_xinfo(?, ?)').all(table, schema);
  return JSON.stringify((columns as unknown as Column[]).map(({ name, hidden }) => [name, hidden]));
}
