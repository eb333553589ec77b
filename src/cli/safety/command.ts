import { Option, type Command } from '@commander-js/extra-typings';
import { documentExits, limit, notEmpty } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';

export function addRetrySafety(program: Command, run: Run): void {
  const command = program
    .command('retry-safety')
    .summary('find out whether a retry of a job repeats its effects')
    .description(
      'Runs the job files (*.job.json) of a manifest on a private local platform, and breaks each run systematically: the worker is killed, ' +
        'a result is lost, or another worker receives the job, too. Compares the effects at the edges of x-safety with undisturbed runs, ' +
        'and prints a report with the smallest reproduction of each difference.',
    )
    .argument('[manifest]', 'manifest (*.endpoint.yaml), or a folder with manifests', notEmpty, '.')
    .option(
      '--jobs <glob>',
      'check only the job files that match; a pattern without a slash matches file names',
      notEmpty,
    )
    .option('--point <id>', 'check only this point, such as killedAtCall:1, which the report names', notEmpty)
    .addOption(
      new Option('--reporter <format>', 'format of the report')
        .choices(['tap', 'junit'] as const)
        .default('tap' as const),
    )
    .option('--output <file>', 'file of the report (default: standard output)', notEmpty)
    .option(
      '--timeout <seconds>',
      'maximum time of a disturbed run (default: ten times the undisturbed one, and at least 60)',
      limit,
    )
    .action((manifest, { timeout: limitMs, ...options }) =>
      run(
        verb(({ retrySafetyCommand }, surroundings) =>
          retrySafetyCommand({ manifest, limitMs, ...options }, surroundings),
        ),
      ),
    );
  documentExits(command, [
    ['0', 'No disturbance changed the effects of a job.'],
    ['1', 'A disturbance changed the effects of a job.'],
    ['2', 'A job could not be checked, for example because it fails without a disturbance, or there is no job.'],
  ]);
}
