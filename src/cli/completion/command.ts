import { Argument, type Command } from '@commander-js/extra-typings';
import { EXIT_CODES } from '../program/exitCodes.ts';
import { documentExits } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { SHELLS } from './completionScripts.ts';

export function addCompletion(program: Command, run: Run): void {
  const command = program
    .command('completion')
    .summary('print a completion script')
    .description('Prints a completion script for a shell. In bash, source <(cloud-compute completion bash) loads it.')
    .addArgument(new Argument('<shell>', 'shell that reads the script').choices(SHELLS))
    .action((shell) =>
      run(async ({ write }) => {
        const [{ commandWords }, { completionScript }] = await Promise.all([
          import('./commandWords.ts'),
          import('./completionScripts.ts'),
        ]);
        write(completionScript(shell, program.name(), commandWords(program)));
        return EXIT_CODES.done;
      }),
    );
  documentExits(command, [['0', 'The script is printed.']]);
}
