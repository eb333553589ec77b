import { PROCESS_IMAGE_PREFIX } from '../../contract/processImage.ts';
import type { Endpoint } from '../../contract/endpoint.ts';

/** Returns the directory of an endpoint whose workers run as processes on the machine of the platform. Undefined for an image. */
export function workerDirectory({ image }: Pick<Endpoint, 'image'> = {}): string | undefined {
  return image?.startsWith(PROCESS_IMAGE_PREFIX) === true ? image.slice(PROCESS_IMAGE_PREFIX.length) : undefined;
}

/** Minimum length of a value that is compared with secrets, in UTF-16 code units. Shorter secrets would hide most variables. */
const MIN_SECRET_LENGTH = 4;
/** Names of variables that usually contain a key. */
const SECRET_NAME = /(?:^|_)(?:api_?key|key|token|secret|password|passwd|credentials?)(?:_|$)/i;

export interface TerminalEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** Names of the variables that were left out, because they contain or seem to contain a secret. */
  readonly omitted: readonly string[];
}

/**
 * Returns the variables of an endpoint for a terminal, without secrets. Programs and the history of a terminal could keep them.
 *
 * @param secrets values of the stored secrets
 */
export function terminalEnvironment(
  env: Readonly<Record<string, string>>,
  secrets: Iterable<string>,
): TerminalEnvironment {
  const hidden = [...secrets].filter(({ length }) => length >= MIN_SECRET_LENGTH);
  const isSecret = ([name, value]: [string, string]): boolean =>
    SECRET_NAME.test(name) || hidden.some((secret) => value.includes(secret));
  const entries = Object.entries(env);
  return {
    variables: Object.fromEntries(entries.filter((entry) => !isSecret(entry))),
    omitted: entries.filter(isSecret).map(([name]) => name),
  };
}
