import type { Command } from '@commander-js/extra-typings';
import { connection, dataDirectory, documentExits, notEmpty } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';

export function addShell(program: Command, run: Run): void {
  const command = program
    .command('shell')
    .summary('open a shell in the container of a worker')
    .description(
      'Runs a shell in the container or the Pod of a worker of a local platform, or of the platform of a team, with this terminal. Ctrl+C goes to ' +
        'the shell. Without a terminal, standard input is the input of the shell.',
    )
    .argument('<worker>', 'ID of the worker, or the name or ID of an endpoint that has one worker', notEmpty)
    .option(
      '--endpoint <name>',
      'name or ID of the endpoint of the worker (default: the endpoint that has the worker)',
      notEmpty,
    )
    .addOption(connection())
    .addOption(dataDirectory())
    .action((worker, options) =>
      run(verb(({ shellCommand }, surroundings) => shellCommand({ worker, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'The shell exited with 0.'],
    ['1 to 254', 'The exit code of the shell.'],
    ['255', 'There is no such worker, a shell cannot run in it, or the connection was lost.'],
  ]);
}
