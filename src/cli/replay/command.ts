import { Option, type Command } from '@commander-js/extra-typings';
import { connection, dataDirectory, documentExits, json, limit, notEmpty } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';

export function addReplay(program: Command, run: Run): void {
  const command = program
    .command('replay')
    .summary('run a failed job again on this machine, and compare its end')
    .description(
      'Runs a recorded job, or an ended job of the local platform, on a private local platform, and compares its end with the recorded one. ' +
        'The worker runs the code of x-local in the manifest of a recording, or else the image of the endpoint, with its digest if it is known. ' +
        'Secret values are not copied, but read from environment variables with the same names. The volume of the endpoint is copied.',
    )
    .argument('<job>', 'recording (*.recording.json), or ID of a job', notEmpty)
    .option(
      '--endpoint <name>',
      'name or ID of the endpoint of the job (default: the endpoint that has the job)',
      notEmpty,
    )
    .option('--save <file>', 'save the job as a test, a job file with "expect"', notEmpty)
    .addOption(
      new Option('--expect <end>', 'expectation of the saved test')
        .choices(['success', 'recorded'] as const)
        .default('success' as const, 'success, even of a failed job'),
    )
    .addOption(
      new Option(
        '--volume <dir>',
        'directory that is copied as the volume (default: the volume of the local platform)',
      ).argParser(notEmpty),
    )
    .option('--empty-volume', 'give the worker an empty volume')
    .option('--without-values', 'run without the environment variables that have no value here')
    .option(
      '--timeout <seconds>',
      'maximum time of the job (default: its timeout, and 10 minutes for the start of its worker)',
      limit,
    )
    .addOption(json())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((job, { timeout: limitMs, ...options }) =>
      run(verb(({ replayCommand }, surroundings) => replayCommand({ job, limitMs, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'The job ended as recorded: with the same error, or the same output.'],
    ['1', 'The job ended in another way.'],
    [
      '2',
      'The job could not run, for example because of an invalid recording, a missing value, or a worker that cannot start.',
    ],
  ]);
}
