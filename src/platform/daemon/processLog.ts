import { pino, type Logger } from 'pino';

/** Creates the log of the platform's process, on standard error. Ignores write errors, because the process that reads it may have ended. */
export function processLog(): Logger {
  const output = pino.destination({ dest: 2, sync: true });
  output.on('error', () => undefined);
  return pino({ base: null }, output);
}
