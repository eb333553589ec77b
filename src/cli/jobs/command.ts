import type { Command } from '@commander-js/extra-typings';
import { connection, dataDirectory, documentExits, json, notEmpty } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';

export function addRun(program: Command, run: Run): void {
  const command = program
    .command('run')
    .summary('run a job, and print its output')
    .description(
      'Runs a job on a queue-based endpoint, waits for its end, and prints its output as JSON. The progress, the error of a failed job, and its ' +
        'last log lines are on standard error. An interruption cancels the job.',
    )
    .argument(
      '[endpoint]',
      'name or ID of the endpoint (default: the one that the job file names, or that of the manifest beside it)',
      notEmpty,
    )
    .option('--input <json>', 'input of the handler, a JSON object')
    .option('--file <file>', 'job file (*.job.json), or - for standard input', notEmpty)
    .option('--no-wait', 'print the ID of the job, and do not wait for its end')
    .addOption(json())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((endpoint, options) =>
      run(verb(({ runCommand }, surroundings) => runCommand({ endpoint, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'The job is completed, or with --no-wait accepted.'],
    ['1', 'The job failed, timed out, or was canceled, or was not accepted.'],
  ]);
}

export function addTimeline(program: Command, run: Run): void {
  const command = program
    .command('timeline')
    .summary('show what the time of a job was spent on')
    .description(
      'Prints the life of a job as a waterfall: its time in the queue and the reason for it, cold starts, and attempts. With --json, prints ' +
        'the trace, if the platform records traces, or else the job. Hosted platforms report only how long a job waited and ran.',
    )
    .argument('<endpoint>', 'name or ID of the endpoint', notEmpty)
    .argument('<job>', 'ID of the job', notEmpty)
    .addOption(json())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((endpoint, job, options) =>
      run(verb(({ timelineCommand }, surroundings) => timelineCommand({ endpoint, job, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'The timeline is printed.'],
    ['1', 'The platform does not have the job.'],
  ]);
}
