import { InvalidArgumentError, Option, type Command } from '@commander-js/extra-typings';
import { connection, dataDirectory, documentExits, json, notEmpty, whole } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';

const MAX_RATE = 10_000;
const MAX_SECONDS = 604_800;
const DEFAULT_SECONDS = 60;
const MAX_SEED = 999_999_999;

export function addLoad(program: Command, run: Run): void {
  const command = program
    .command('load')
    .summary('test the speed of an endpoint under load')
    .description(
      'Sends the job of a job file (*.job.json), or the requests of a request file (*.http) in turn, on a schedule, and prints a report ' +
        'with percentiles and costs. A latency counts from the scheduled time, so it includes the delays of a slow endpoint. After an ' +
        'interruption, nothing more is sent, and the program waits for results. A second interruption ends that wait.',
    )
    .argument('<file>', 'job file or request file', notEmpty)
    .option(
      '--endpoint <endpoint>',
      'name or ID of the endpoint (default: the one that the file names, or that of the manifest beside a job file)',
      notEmpty,
    )
    .option('--rate <number>', 'jobs or requests per second', rate, 1)
    .option('--ramp-to <number>', 'rate at the end, to which the rate changes evenly (default: the rate)', rate)
    .option('--duration <seconds>', 'how long to send jobs or requests', whole(1, MAX_SECONDS), DEFAULT_SECONDS)
    .addOption(
      new Option(
        '--arrivals <kind>',
        'constant: at equal intervals; poisson: at random times, like those of many users',
      )
        .choices(['constant', 'poisson'] as const)
        .default('constant' as const),
    )
    .option('--seed <number>', 'seed of the random times; the same one repeats them', whole(0, MAX_SEED), 1)
    .addOption(
      new Option(
        '--trace <file>',
        'repeat recorded arrivals: lines of JSON or CSV with a time each, or the report of a load test',
      )
        .argParser(notEmpty)
        .conflicts(['rate', 'rampTo', 'duration', 'arrivals', 'seed']),
    )
    .option('--max-cost <usd>', 'maximum cost of the load test, in US dollars, at the prices of the platform', usd)
    .option(
      '--threshold <threshold>',
      'limit such as "p99<2s", "max<=500ms", "mean<1s", "errors<1%", or "cost<$5" (can be repeated)',
      (text: string, all: readonly string[] | undefined): readonly string[] => [...(all ?? []), notEmpty(text)],
    )
    .option(
      '--drain <seconds>',
      'maximum time to wait for results after the last job or request',
      whole(0, MAX_SECONDS),
      60,
    )
    .option('--cancel-rest', 'cancel jobs that have no result by then')
    .option('--report <file>', 'file to write the report to, as JSON', notEmpty)
    .option('--compare <file>', 'report of an earlier load test to compare with', notEmpty)
    .addOption(json())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((file, { cancelRest = false, ...options }) =>
      run(verb(({ loadCommand }, surroundings) => loadCommand({ file, cancelRest, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'All thresholds hold.'],
    ['1', 'A threshold is violated, or nothing was sent.'],
    [
      '2',
      'The load test could not run, for example because of an invalid file, or the cost cap prevented or ended it.',
    ],
  ]);
}

function rate(text: string): number {
  const number = /^\d{1,5}(\.\d{1,6})?$/.test(text) ? Number(text) : NaN;
  if (!(number >= 0 && number <= MAX_RATE))
    throw new InvalidArgumentError(`It must be a number from 0 to ${MAX_RATE}.`);
  return number;
}

function usd(text: string): number {
  const [, number] = /^\$?(\d{1,9}(?:\.\d{1,9})?)$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('It must be an amount, such as 2.50.');
  return Number(number);
}
