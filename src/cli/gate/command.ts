import type { Command } from '@commander-js/extra-typings';
import { MAX_GATE_JOBS } from '../../contract/gate.ts';
import { connection, dataDirectory, documentExits, json, notEmpty, whole, yes } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';

export function addGate(program: Command, run: Run): void {
  const command = program
    .command('gate')
    .summary('run recorded jobs on the earlier and the new version of a worker')
    .description(
      'Runs the last recorded jobs of a manifest on an earlier and on the new version of its worker, and compares the outputs, the execution ' +
        'times, the memory, the cold starts, and the costs. Each version runs on a private local platform, which stops afterwards. x-gate in ' +
        'the manifest has the accepted differences. Secrets of recordings and references in env have the values of environment variables.',
    )
    .argument('[manifest]', 'manifest (default: the only *.endpoint.yaml in this folder)')
    .option('--endpoint <name>', 'name of the endpoint, if the manifest has several', notEmpty)
    .option(
      '--base <revision>',
      'git revision of the earlier version (default: HEAD if the worker has changes, else the version before its last change)',
      notEmpty,
    )
    .option('--base-image <image>', 'image of the earlier version, instead of a revision', notEmpty)
    .option('--image <image>', 'image of the new version, instead of the files', notEmpty)
    .option('--environment <name>', 'environment of the manifest (x-environments)', notEmpty)
    .option('--jobs <number>', 'number of jobs (default: that of x-gate, or 50)', whole(1, MAX_GATE_JOBS))
    .option('--scratch', 'run both versions on endpoints of the platform of --connection, which are deleted afterwards')
    .option('--report <file>', 'write the report to a file: Markdown (.md) or HTML (.html)', notEmpty)
    .option(
      '--summary <file>',
      'append the report to a file as Markdown, such as for the summary of a CI job',
      notEmpty,
    )
    .option('--junit', 'print the result as JUnit XML')
    .addOption(json())
    .addOption(yes())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((manifest, options) =>
      run(verb(({ gateCommand }, surroundings) => gateCommand({ manifest, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'The gate passed.'],
    ['1', 'The gate failed: a job has another result, or the worker is slower than accepted.'],
    [
      '2',
      'The gate could not run, for example because of a worker that cannot start, or because there is no recording.',
    ],
  ]);
}
