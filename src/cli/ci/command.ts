import { Argument, type Command } from '@commander-js/extra-typings';
import { documentExits } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';

export function addCi(program: Command, run: Run): void {
  const command = program
    .command('ci')
    .summary('write a workflow for GitHub Actions or GitLab')
    .description(
      'Writes a workflow into the repository of a folder. For a pull request, it checks the manifests, shows the plan with the difference in price, ' +
        'and tests the workers. On the default branch, it builds, deploys, verifies, and rolls back on failure. An existing file stays as it is. ' +
        'Prints the path of the file.',
    )
    .addArgument(new Argument('<service>', 'service that runs it').choices(['github', 'gitlab'] as const))
    .argument('[folder]', 'folder with manifests', '.')
    .action((service, folder) =>
      run(verb(({ ciCommand }, surroundings) => ciCommand({ service, folder }, surroundings))),
    );
  documentExits(command, [
    ['0', 'The workflow is written.'],
    ['1', 'The file exists, or cannot be written.'],
  ]);
}
