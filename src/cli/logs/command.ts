import { Option, type Command } from '@commander-js/extra-typings';
import { connection, dataDirectory, documentExits, json, notEmpty, whole } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';

const MAX_TAIL = 10_000;

export function addLogs(program: Command, run: Run): void {
  const command = program
    .command('logs')
    .summary('print the log lines of workers')
    .description('Prints the log lines of the workers of an endpoint, in chronological order.')
    .argument('<endpoint>', 'name or ID of the endpoint')
    .option('--worker <id>', 'only this worker, which can have ended (default: the present workers)', notEmpty)
    .option('--tail <lines>', 'number of past lines of each worker', whole(0, MAX_TAIL), 100)
    .addOption(
      new Option('--source <source>', 'only lines of the program, or of the platform').choices([
        'container',
        'system',
      ] as const),
    )
    .option('--follow', 'keep printing new lines, also those of later workers, until an interruption')
    .addOption(json())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((endpoint, options) =>
      run(verb(({ logsCommand }, surroundings) => logsCommand({ endpoint, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'The lines are printed.'],
    ['1', 'No worker has a log, or it cannot be read.'],
  ]);
}
