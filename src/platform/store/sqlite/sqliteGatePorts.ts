import type { GatePortStore } from '../gatePortStore.ts';
import { mapped, type Statements } from './statements.ts';

/** Ports of the worker gate in SQLite. */
export function sqliteGatePorts({ one, run }: Statements): GatePortStore {
  return {
    get: (address) =>
      mapped(one('SELECT port FROM gate_ports WHERE address = ?', address), ({ port }) => port as number),
    set: (address, port) => run('INSERT OR REPLACE INTO gate_ports VALUES (?, ?)', address, port),
  };
}
