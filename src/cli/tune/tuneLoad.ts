import { readFile } from 'node:fs/promises';
import type { Endpoint } from '../../contract/endpoint.ts';
import { parseRates } from '../../features/load/model/arrivals.ts';
import { readLoad } from '../../features/tuning/actions/readLoad.ts';
import { givenTime } from '../../features/tuning/model/times.ts';
import { loadOfFile, loadOfPattern, type CompleteLoad, type TunedLoad } from '../../features/tuning/model/tunedLoad.ts';
import type { Session } from '../connection/openSession.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';

export interface LoadFlags {
  /** Rate, or path of a file. Undefined: the measured load. */
  readonly load?: string | undefined;
  /** In seconds. */
  readonly duration: number;
  readonly seed: number;
  /** Times in seconds. */
  readonly execution?: number | undefined;
  readonly coldStart?: number | undefined;
  readonly resume?: number | undefined;
}

/**
 * Returns the load that the options name. Times that neither the options nor the load have are those that the platform measured.
 *
 * @throws CannotRunError if the load or a time is not known, and ApiError
 */
export async function tuneLoad(
  flags: LoadFlags,
  { client, name: platform }: Session,
  endpoint: Endpoint | undefined,
  signal: AbortSignal,
): Promise<CompleteLoad> {
  const given = flags.load === undefined ? undefined : await givenLoad(flags.load, flags);
  const measured = endpoint && (await readLoad(client, endpoint, undefined, signal));
  const load = given ?? measured;
  if (!load)
    throw cannot(
      endpoint
        ? `${platform} has measured no jobs of ${endpoint.name}; give --load`
        : 'the endpoint does not exist yet, so nothing was measured; give --load',
    );
  const executions = timeOf(flags.execution) ?? load.executions ?? measured?.executions;
  const coldStarts = timeOf(flags.coldStart) ?? load.coldStarts ?? measured?.coldStarts;
  if (!executions) throw cannot('no execution time was measured; give --execution SECONDS');
  if (!coldStarts) throw cannot('no cold start was measured; give --cold-start SECONDS');
  return { arrivals: load.arrivals, executions, coldStarts, resumes: timeOf(flags.resume) };
}

async function givenLoad(load: string, { duration, seed }: LoadFlags): Promise<TunedLoad> {
  const rates = parseRates(load);
  if (rates) {
    const pattern = loadOfPattern({ kind: 'rate', ...rates, seconds: duration, seed });
    if (pattern.arrivals.ms.length === 0)
      throw cannot(`${load} has no arrivals in ${duration} s; give a longer --duration`);
    return pattern;
  }
  const text = await readFile(load, 'utf8').catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException;
    throw cannot(
      code === 'ENOENT'
        ? `--load ${load} is neither a rate, such as "0.5 random", nor a file`
        : `--load ${load} is not a rate, and the file cannot be read: ${message}`,
    );
  });
  const read = loadOfFile(text);
  if ('problem' in read) throw cannot(`${load}: ${read.problem}`);
  return read;
}

function timeOf(seconds: number | undefined) {
  return seconds === undefined ? undefined : givenTime(seconds);
}

function cannot(message: string): CannotRunError {
  return new CannotRunError(message, EXIT_CODES.cannotTune);
}
