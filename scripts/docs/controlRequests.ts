import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { table } from './section.ts';

const PREFIX = '/control/v1/';

/** Returns a table of the requests of the control API. */
export function controlRequests(): string {
  return table(
    ['Request', 'Effect'],
    Object.values(controlOperations).map(({ method, path, summary }) => [
      `\`${method} ${path.slice(PREFIX.length)}\``,
      `${summary}.`,
    ]),
  );
}
