import { Option, type Command } from '@commander-js/extra-typings';
import { MAX_CONCURRENT_EXPECTATIONS } from '../../features/jobs/expectations/actions/runExpectation.ts';
import { documentExits, limit, notEmpty, whole } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';

const MAX_CONCURRENCY = 100;

export function addTest(program: Command, run: Run): void {
  const command = program
    .command('test')
    .summary('test the workers of a folder')
    .description(
      'Tests the workers of a folder. Starts a local platform in memory, creates an endpoint for each manifest (*.endpoint.yaml), runs the job ' +
        'files with "expect" (*.job.json) and the requests with "@expect" (*.http), prints a report, and stops the platform and its workers. ' +
        'References in the env of a manifest, such as ${secret:NAME}, have the values of environment variables.',
    )
    .argument('<folder>', 'folder with manifests, job files, and request files')
    .addOption(
      new Option('--reporter <format>', 'format of the report')
        .choices(['tap', 'junit'] as const)
        .default('tap' as const),
    )
    .option('--output <file>', 'file of the report (default: standard output)', notEmpty)
    .option('--filter <glob>', 'run only the files that match; a pattern without a slash matches file names', notEmpty)
    .option(
      '--timeout <seconds>',
      'maximum time of each test, from its submission to its end (default: the timeout of its endpoint, and 10 minutes in the queue)',
      limit,
    )
    .option(
      '--concurrency <number>',
      'maximum number of tests at the same time',
      whole(1, MAX_CONCURRENCY),
      MAX_CONCURRENT_EXPECTATIONS,
    )
    .option('--keep-going', 'run the other tests if a file is invalid or a worker cannot start')
    .action((folder, { timeout: limitMs, keepGoing = false, ...options }) =>
      run(
        verb(({ testCommand }, surroundings) => testCommand({ folder, limitMs, keepGoing, ...options }, surroundings)),
      ),
    );
  documentExits(command, [
    ['0', 'All expectations were met.'],
    ['1', 'A job or a response violated an expectation.'],
    [
      '2',
      'A test could not run, for example because of an invalid file or a worker that cannot start, or there is no test.',
    ],
  ]);
}
