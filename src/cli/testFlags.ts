import { MAX_CONCURRENT_EXPECTATIONS } from '../features/jobs/expectations/actions/runExpectation.ts';
import { badFlag, parseFlags } from './parseFlags.ts';

const REPORTERS = ['tap', 'junit'] as const;
export type ReporterName = (typeof REPORTERS)[number];

export interface TestFlags {
  readonly folder: string;
  readonly reporter: ReporterName;
  /** File of the report. Undefined: standard output. */
  readonly output: string | undefined;
  /** Pattern of the job files to run. Undefined: all. */
  readonly filter: string | undefined;
  /** Time limit of each job, in ms. Undefined: the timeout of its endpoint, and time in the queue. */
  readonly limitMs: number | undefined;
  readonly concurrency: number;
  readonly keepGoing: boolean;
}

export const TEST_USAGE = `Usage: node cli.js test <folder> [options]

Tests the workers of a folder. Starts a local platform, creates an endpoint for each manifest (*.endpoint.yaml), runs the
job files with expectations (*.job.json with "expect"), prints a report, and stops the platform and its workers.
References in the env of a manifest, such as \${secret:NAME}, have the values of environment variables.

Options:
  --reporter NAME     format of the report: tap or junit (default: tap)
  --output FILE       file of the report (default: standard output)
  --filter GLOB       run only the job files that match; a pattern without a slash matches file names
  --timeout SECONDS   maximum time of each job, from its submission to its end (default: the timeout of its endpoint,
                      and 10 minutes in the queue)
  --concurrency N     maximum number of jobs at the same time, from 1 to 100 (default: ${MAX_CONCURRENT_EXPECTATIONS})
  --keep-going        run the other tests if a file is invalid or a worker cannot start
  --help              print this help and exit

The command mcp serves agents. See node cli.js mcp --help.

Exit codes:
  0    all expectations were met
  1    a job violated an expectation
  2    a test could not run: an invalid file, a worker that cannot start, or no test at all
  129, 130, 143   the program was interrupted by SIGHUP, SIGINT, or SIGTERM
`;

const MAX_TIMEOUT_S = 604_800;
const MAX_CONCURRENCY = 100;

/** Returns the flags of the command `test`, or `help`. @throws CannotRunError for invalid arguments */
export function readTestFlags(args: readonly string[]): TestFlags | 'help' {
  const { values, positionals } = parse(args);
  if (values.help) return 'help';
  const [command, folder, ...more] = positionals;
  if (command === undefined) throw badFlag('a command is required: test or mcp');
  if (command !== 'test') throw badFlag(`the command '${command}' is unknown; the commands are test and mcp`);
  if (folder === undefined) throw badFlag('test needs a folder');
  if (more.length > 0) throw badFlag(`test takes one folder, but there is also '${more.join(' ')}'`);
  const reporter = REPORTERS.find((name) => name === values.reporter);
  if (!reporter) throw badFlag(`--reporter must be ${REPORTERS.join(' or ')}, not '${values.reporter}'`);
  for (const name of ['output', 'filter'] as const) if (values[name] === '') throw badFlag(`--${name} needs a value`);
  const { timeout, concurrency } = values;
  return {
    folder,
    reporter,
    output: values.output,
    filter: values.filter,
    limitMs: timeout === undefined ? undefined : 1_000 * whole('--timeout', timeout, MAX_TIMEOUT_S),
    concurrency:
      concurrency === undefined ? MAX_CONCURRENT_EXPECTATIONS : whole('--concurrency', concurrency, MAX_CONCURRENCY),
    keepGoing: values['keep-going'],
  };
}

function parse(args: readonly string[]) {
  return parseFlags({
    args: [...args],
    allowPositionals: true,
    options: {
      reporter: { type: 'string', default: 'tap' },
      output: { type: 'string' },
      filter: { type: 'string' },
      timeout: { type: 'string' },
      concurrency: { type: 'string' },
      'keep-going': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
}

function whole(flag: string, text: string, max: number): number {
  const number = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : NaN;
  if (!(number <= max)) throw badFlag(`${flag} must be a whole number from 1 to ${max}, not '${text}'`);
  return number;
}
