import type { Command } from '@commander-js/extra-typings';
import { documentExits } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';

export function addPlatform(program: Command, run: Run): void {
  const command = program
    .command('platform')
    .summary('run the local platform')
    .description(
      'Runs the local platform until it is interrupted, with the data directory of the other commands. All options are those of the platform: ' +
        'see cloud-compute platform --help.',
    )
    .argument('[options...]', 'options of the platform')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action((args) => run(verb(({ platformCommand }, surroundings) => platformCommand(args, surroundings))));
  documentExits(command, [
    ['0', 'The platform was stopped.'],
    ['1', 'The platform could not start, or failed. Its documentation lists further codes.'],
  ]);
}
