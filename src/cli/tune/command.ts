import { InvalidArgumentError, Option, type Command } from '@commander-js/extra-typings';
import { connection, dataDirectory, documentExits, environment, json, notEmpty, whole } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';
import type { Increase } from './tuneContext.ts';

const MAX_SECONDS = 604_800;
const MAX_SEED = 999_999_999;

export function addTune(program: Command, run: Run): void {
  const command = program
    .command('tune')
    .summary('find cheaper or faster scaling settings')
    .description(
      'Simulates an endpoint with about a thousand settings under one load, and prints those that no other setting beats in both cost and wait. ' +
        'The load is that of the endpoint, a file, or a rate. With --compare, it prints only the effect of a change of the manifest on the bill. ' +
        'Changes nothing, and costs nothing.',
    )
    .argument('[manifest]', 'manifest (*.endpoint.yaml)', notEmpty)
    .option(
      '--endpoint <endpoint>',
      'name or ID of the endpoint, or the name of one of several endpoints in the manifest',
      notEmpty,
    )
    .option(
      '--load <load>',
      'jobs per second, such as 5, "5-50", or "5 random", or a file with recorded arrivals (default: what the platform measured)',
      notEmpty,
    )
    .option('--duration <seconds>', 'how long to simulate a rate', whole(1, MAX_SECONDS), 3_600)
    .option('--seed <number>', 'seed of random times', whole(0, MAX_SEED), 1)
    .option('--execution <seconds>', 'execution time of a job, if it was not measured', seconds)
    .option('--cold-start <seconds>', 'time until a new worker is ready, if it was not measured', seconds)
    .option(
      '--resume <seconds>',
      'time until a worker of FlashBoot is ready; without it, FlashBoot stays as it is',
      seconds,
    )
    .option(
      '--factor <factor>',
      'execution time on other hardware, compared with the present one, such as AMPERE_24=1.4 (can be repeated)',
      factor,
    )
    .option('--target-wait <time>', 'longest 95th percentile of the wait, such as 2s or 500ms', time)
    .option('--budget <usd>', 'highest cost of a month, in US dollars', usd)
    .option('--compare <base>', 'compare with the manifest of a Git revision, or with another manifest', notEmpty)
    .addOption(
      new Option('--max-increase <increase>', 'highest increase in the cost of a month, such as $50 or 10%').argParser(
        increase,
      ),
    )
    .option('--summary <file>', 'append the result to a file as Markdown, such as for a pull request', notEmpty)
    .addOption(json())
    .addOption(environment())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((file, options) =>
      run(verb(({ tuneCommand }, surroundings) => tuneCommand({ file, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'The present settings meet --target-wait and --budget, or the increase is within --max-increase.'],
    ['1', 'They do not, or the manifest is invalid.'],
    ['2', 'Nothing could be simulated, for example because the load or a time is not known.'],
  ]);
}

function seconds(text: string): number {
  const number = /^\d{1,6}(\.\d{1,6})?s?$/.test(text) ? Number.parseFloat(text) : NaN;
  if (!(number >= 0)) throw new InvalidArgumentError('It must be a number of seconds, such as 1.5.');
  return number;
}

/** Parses a time, and returns ms. */
function time(text: string): number {
  const [, digits, unit] = /^(\d{1,7}(?:\.\d{1,6})?) ?(ms|s|min)$/.exec(text) ?? [];
  if (digits === undefined) throw new InvalidArgumentError('It must be a time, such as 2s or 500ms.');
  return Number(digits) * (unit === 'ms' ? 1 : unit === 's' ? 1_000 : 60_000);
}

function usd(text: string): number {
  const [, digits] = /^\$?(\d{1,9}(?:\.\d{1,6})?)$/.exec(text) ?? [];
  if (digits === undefined) throw new InvalidArgumentError('It must be an amount, such as 250.');
  return Number(digits);
}

function increase(text: string): Increase {
  const [, digits] = /^(\d{1,6}(?:\.\d{1,6})?) ?%$/.exec(text) ?? [];
  return digits === undefined ? { usd: usd(text) } : { percent: Number(digits) };
}

function factor(text: string, all: Readonly<Record<string, number>> = {}): Readonly<Record<string, number>> {
  const [, id = '', digits] = /^([^=]{1,100})=(\d{1,3}(?:\.\d{1,6})?)$/.exec(text) ?? [];
  if (!(Number(digits) > 0))
    throw new InvalidArgumentError('It must be hardware with a number, such as AMPERE_24=1.4.');
  return { ...all, [id]: Number(digits) };
}
