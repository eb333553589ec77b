import type { Command } from '@commander-js/extra-typings';
import { connection, dataDirectory, documentExits, notEmpty } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';

export function addRecord(program: Command, run: Run): void {
  const command = program
    .command('record')
    .summary('keep an ended job in a recording, for gate and replay')
    .description(
      'Writes a recording of an ended job of the local platform into the folder *.recordings beside the manifest of its endpoint. References ' +
        'replace secrets: the values of environment variables that the manifest refers to, values with the form of a key, and values of ' +
        'members with names such as password. Read a recording before you commit it.',
    )
    .argument('<job>', 'ID of a job', notEmpty)
    .argument('[manifest]', 'manifest (default: the only *.endpoint.yaml in this folder)')
    .option(
      '--endpoint <name>',
      'name or ID of the endpoint of the job (default: the endpoint that has the job)',
      notEmpty,
    )
    .addOption(connection())
    .addOption(dataDirectory())
    .action((job, manifest, options) =>
      run(verb(({ recordCommand }, surroundings) => recordCommand({ job, manifest, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'The recording is written.'],
    [
      '1',
      'The job could not be recorded, for example because its request is unknown, or because a secret would remain.',
    ],
  ]);
}
