import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { badFlag, type Flags } from './flags.ts';
import { isLoopback } from '../http/loopback.ts';

/* Where the owner's key comes from. On a command line other programs of the user see it, and in an environment they can look it up. */

export const KEY_VARIABLE = 'CLOUD_COMPUTE_API_KEY';

const STANDARD_INPUT = '-';
/** Shorter keys than this can be guessed over a network. */
const MIN_OPEN_KEY_LENGTH = 16;
const MAX_KEY_LENGTH = 1_000;
/** What an HTTP header carries as it is. */
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

type KeyFlags = Pick<Flags, 'apiKey' | 'apiKeyFile' | 'host'>;

/**
 * The key that was given; undefined when none was.
 *
 * @param env the variable is taken out of it, so that no process started from here on inherits the key
 * @param input standard input, read to the end of its first line at most
 * @throws StartFailure badFlag
 */
export async function readOwnerKey(
  { apiKey, apiKeyFile, host }: KeyFlags,
  env: NodeJS.ProcessEnv,
  input: () => Readable,
): Promise<string | undefined> {
  const variable = env[KEY_VARIABLE];
  Reflect.deleteProperty(env, KEY_VARIABLE);
  if (apiKeyFile === STANDARD_INPUT) {
    const line = await firstLine(input());
    if (line === undefined) throw badFlag('--api-key-file -: standard input ended before there was a line');
    return line === '' ? undefined : checked(line, 'the first line of standard input', host);
  }
  if (apiKeyFile !== undefined) return checked(await keyIn(apiKeyFile), apiKeyFile, host);
  if (apiKey !== undefined) return checked(apiKey, '--api-key', host);
  return variable === undefined || variable === '' ? undefined : checked(variable, KEY_VARIABLE, host);
}

async function keyIn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw badFlag(`--api-key-file ${file} cannot be read, ${(error as Error).message}`);
  });
  const [line = ''] = text.split(/\r?\n/, 1);
  if (line === '') throw badFlag(`--api-key-file ${file} is empty`);
  return line;
}

/** @param origin as texts call it; the key itself is in no text */
function checked(key: string, origin: string, host: string | undefined): string {
  if (!KEY.test(key) || key.length > MAX_KEY_LENGTH) {
    throw badFlag(`${origin} must be 1 to ${MAX_KEY_LENGTH} printable ASCII characters, without spaces around them`);
  }
  if (host !== undefined && !isLoopback(host) && key.length < MIN_OPEN_KEY_LENGTH) {
    throw badFlag(`--host ${host} lets other machines in: the key needs at least ${MIN_OPEN_KEY_LENGTH} characters`);
  }
  return key;
}

/** Reads to the end of the first line, and leaves the stream paused. undefined: it ended before it began. */
function firstLine(input: Readable): Promise<string | undefined> {
  let text = '';
  return new Promise((resolve) => {
    const done = (line: string | undefined): void => {
      input.off('data', onData).off('end', onEnd).off('error', onEnd).pause();
      resolve(line?.replace(/\r$/, ''));
    };
    const onEnd = (): void => done(text === '' ? undefined : text);
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\n');
      if (end !== -1) done(text.slice(0, end));
      // It is refused: no key is as long.
      else if (text.length > MAX_KEY_LENGTH) done(text);
    };
    input.on('data', onData).on('end', onEnd).on('error', onEnd);
  });
}
