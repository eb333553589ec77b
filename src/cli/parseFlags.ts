import { parseArgs, type ParseArgsConfig } from 'node:util';
import { CannotRunError } from './exitCodes.ts';

/** Parses flags. @throws CannotRunError that names the invalid flag */
export function parseFlags<const Config extends ParseArgsConfig>(config: Config): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (error) {
    // Node's message names the flag, but its advice about "--" does not apply here.
    throw badFlag((error as Error).message.split('. To specify')[0] ?? 'bad flags');
  }
}

export function badFlag(message: string): CannotRunError {
  return new CannotRunError(`${message} (see --help)`);
}
