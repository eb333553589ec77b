import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import type { Quotas } from '../../contract/rateLimit.ts';
import type { RateLimitOptions } from '../accounts/rateLimits.ts';
import { StartFailure } from '../startFailure.ts';

export interface Flags {
  readonly port: number;
  /** undefined: loopback. */
  readonly host: string | undefined;
  /** undefined: keep all data in memory. */
  readonly dataDir: string | undefined;
  readonly apiKey: string | undefined;
  /** File whose first line is the key; `-` is standard input. */
  readonly apiKeyFile: string | undefined;
  /** undefined: two per logical processor, at least 8. */
  readonly maxWorkers: number | undefined;
  readonly rateLimits: RateLimitOptions;
  /** Whether accounts other than the owner's may have process endpoints. */
  readonly allowProcessEndpoints: boolean;
  readonly json: boolean;
  readonly stopWithStdin: boolean;
  readonly help: boolean;
}

export const USAGE = `Usage: platform [options]

Runs the local platform of Cloud Compute, with endpoints, jobs, workers, logs, and billing. By default, only programs on
this machine can reach it.

Options:
  --port PORT         port to listen on; 0 selects a free port (default: 0)
  --host ADDRESS      IP address to listen on; 0.0.0.0 for all interfaces. Other machines can then reach the platform, and
                      anyone with a key can run programs on this one. Requires a key of at least 16 characters
                      (default: loopback)
  --data-dir DIR      directory of the platform's data (default: .cloud-compute)
  --in-memory         keep all data in memory until the platform stops
  --api-key-file PATH file whose first line is the owner's key; - is standard input, where an empty line selects a
                      random key (default: the environment variable CLOUD_COMPUTE_API_KEY, or a random key)
  --api-key KEY       the owner's key, for throwaway platforms only: other programs of the same user can read it in the
                      process list
  --max-workers N     maximum number of workers of all endpoints; further workers wait as THROTTLED
                      (default: two per logical processor, at least 8)
  --rate-limits M,H,D management requests per user and minute, hour, and day (default: 60,3000,50000)
  --invocation-rate-limits M,H,D
                      invocations of endpoints and the image model, per user and minute, hour, and day
                      (default: 60000,3000000,50000000)
  --limit-owner       also apply the rate limits to the owner's key
  --allow-process-endpoints
                      let every account create endpoints with an image "process:DIRECTORY", whose workers run as you
                      and can read your files (default: only the owner can create them)
  --json              print the addresses and the key as one line of JSON
  --stop-with-stdin   stop at the end of standard input, or when the last program that shares the platform stops
  --help              print this help and exit

If another platform already uses the data directory, this command prints the addresses of that platform and exits. With
--stop-with-stdin, it shares that platform, which runs until the last program that shares it stops.
`;

const DEFAULT_DATA_DIR = '.cloud-compute';

/** @throws StartFailure badFlag */
export function readFlags(args: readonly string[]): Flags {
  const values = parse(args);
  if (values['in-memory'] && values['data-dir'] !== undefined) {
    throw badFlag('--in-memory and --data-dir exclude each other: use one of them');
  }
  if (values['data-dir'] === '') throw badFlag('--data-dir needs a directory');
  if (values['api-key'] === '') throw badFlag('--api-key needs a key');
  if (values['api-key-file'] === '') throw badFlag('--api-key-file needs a file');
  if (values['api-key'] !== undefined && values['api-key-file'] !== undefined) {
    throw badFlag('--api-key and --api-key-file exclude each other: use one of them');
  }
  return {
    port: readPort(values.port),
    host: readHost(values.host),
    dataDir: values['in-memory'] ? undefined : (values['data-dir'] ?? DEFAULT_DATA_DIR),
    apiKey: values['api-key'],
    apiKeyFile: values['api-key-file'],
    maxWorkers: readMaxWorkers(values['max-workers']),
    rateLimits: {
      quotas: readQuotas('--rate-limits', values['rate-limits']),
      invocationQuotas: readQuotas('--invocation-rate-limits', values['invocation-rate-limits']),
      limitOwner: values['limit-owner'],
    },
    allowProcessEndpoints: values['allow-process-endpoints'],
    json: values.json,
    stopWithStdin: values['stop-with-stdin'],
    help: values.help,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        host: { type: 'string' },
        port: { type: 'string', default: '0' },
        'data-dir': { type: 'string' },
        'in-memory': { type: 'boolean', default: false },
        'api-key': { type: 'string' },
        'api-key-file': { type: 'string' },
        'max-workers': { type: 'string' },
        'rate-limits': { type: 'string' },
        'invocation-rate-limits': { type: 'string' },
        'limit-owner': { type: 'boolean', default: false },
        'allow-process-endpoints': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        'stop-with-stdin': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    // Node's message names the flag, but its advice about "--" does not apply here.
    throw badFlag((error as Error).message.split('. To specify')[0] ?? 'bad flags');
  }
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(port <= 65_535)) throw badFlag(`--port must be a number from 0 to 65535, not '${text}'`);
  return port;
}

function readHost(host: string | undefined): string | undefined {
  if (host !== undefined && !isIP(host)) throw badFlag(`--host must be an IP address of this machine, not '${host}'`);
  return host;
}

function readMaxWorkers(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,4}$/.test(text)) throw badFlag(`--max-workers must be a number from 1 to 99999, not '${text}'`);
  return Number(text);
}

function readQuotas(flag: string, text: string | undefined): Quotas | undefined {
  if (text === undefined) return undefined;
  const [, minute, hour, day] = /^([1-9]\d{0,8}),([1-9]\d{0,8}),([1-9]\d{0,8})$/.exec(text) ?? [];
  if (day === undefined) throw badFlag(`${flag} must be three numbers above 0, such as 60,3000,50000, not '${text}'`);
  return { minute: Number(minute), hour: Number(hour), day: Number(day) };
}

export const badFlag = (message: string): StartFailure => new StartFailure('badFlag', `${message} (see --help)`);
