import { pino, type Logger } from 'pino';

/** The log of the platform's own process, on its standard error. Whoever read that may be gone: it goes on without. */
export function processLog(): Logger {
  const output = pino.destination({ dest: 2, sync: true });
  output.on('error', () => undefined);
  return pino({ base: null }, output);
}
