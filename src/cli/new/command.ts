import { InvalidArgumentError, Option, type Command } from '@commander-js/extra-typings';
import { WORKER_LANGUAGES, WORKER_TYPES } from '../../features/manifest/model/worker/workerFiles.ts';
import { workerNameProblem } from '../../features/manifest/model/starters/fileNames.ts';
import { documentExits } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';

export function addNew(program: Command, run: Run): void {
  const command = program
    .command('new')
    .summary('write a new worker')
    .description(
      'Writes a small worker to a new folder with its name, with a Dockerfile, a manifest, and a test. It runs as it is: the command test runs its ' +
        'test, build builds its image, and deploy creates its endpoint. Never changes existing files.',
    )
    .argument('<name>', 'name of the folder and of the endpoint', (name) => {
      const problem = workerNameProblem(name);
      if (problem !== undefined) throw new InvalidArgumentError(problem);
      return name;
    })
    .argument('[dir]', 'folder that contains the new one', '.')
    .addOption(
      new Option('--language <language>', 'language of the worker').choices(WORKER_LANGUAGES).makeOptionMandatory(),
    )
    .addOption(
      new Option('--type <type>', 'whether jobs wait in a queue, or HTTP requests go directly to a worker')
        .choices(WORKER_TYPES)
        .default('queue' as const),
    )
    .action((name, dir, kind) =>
      run(verb(({ newCommand }, surroundings) => newCommand({ name, dir, kind }, surroundings))),
    );
  documentExits(command, [
    ['0', 'The files are written.'],
    ['1', 'The folder already exists, or cannot be written.'],
  ]);
}
