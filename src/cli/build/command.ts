import type { Command } from '@commander-js/extra-typings';
import { documentExits, environment, notEmpty } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';

export function addBuild(program: Command, run: Run): void {
  const command = program
    .command('build')
    .summary('build the images of a folder')
    .description(
      'Builds the image of each manifest with x-build in a folder, with Docker or Podman, checks whether workers can run it, and writes it into the ' +
        'manifest. With --push, the image is pushed to x-build.repository first, and the manifest gets its digest.',
    )
    .argument('<folder>', 'folder with manifests')
    .addOption(environment())
    .option('--push', 'push the images with the login of docker or podman')
    .option('--tag <tag>', 'tag of the images (default: the beginning of the ID)', notEmpty)
    .option(
      '--engine <address>',
      'container engine, in the form of DOCKER_HOST (default: as the local platform finds it)',
      notEmpty,
    )
    .action((folder, options) =>
      run(verb(({ buildCommand }, surroundings) => buildCommand({ folder, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'All images are built, and with --push pushed.'],
    ['1', 'A manifest is invalid, an image was not built or pushed, or workers cannot run it.'],
  ]);
}
