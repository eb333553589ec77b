import type { Command } from '@commander-js/extra-typings';
import { beforeBuild, documentExits, notEmpty } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';

export function addCheck(program: Command, run: Run): void {
  const command = program
    .command('check')
    .summary('check the manifests of a folder')
    .description(
      'Checks the manifests of a folder (*.endpoint.yaml) as a hosted platform would, but offline and without a key, and prints each error as ' +
        'file:line:column: message. References in env need no value. ' +
        'Without --environment, it checks the manifests as they are written and in all their environments.',
    )
    .argument('<folder>', 'folder with manifests')
    .option('--environment <name>', 'environment of the manifests (x-environments) to check alone', notEmpty)
    .addOption(beforeBuild())
    .action((folder, options) =>
      run(verb(({ checkCommand }, surroundings) => checkCommand({ folder, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'No manifest has an error.'],
    ['1', 'A manifest has an error, or there is none.'],
  ]);
}
