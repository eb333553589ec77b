import { Option, type Command } from '@commander-js/extra-typings';
import {
  beforeBuild,
  connection,
  dataDirectory,
  documentExits,
  environment,
  json,
  notEmpty,
  whole,
  yes,
} from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';

const MAX_TIMEOUT_S = 86_400;
const DEFAULT_TIMEOUT_S = 300;

const verifyTimeout = () =>
  new Option(
    '--verify-timeout <seconds>',
    'maximum time to wait for a worker, if the endpoint always runs one; 0: do not wait',
  )
    .argParser(whole(0, MAX_TIMEOUT_S))
    .default(DEFAULT_TIMEOUT_S);

const folder = () => new Option('--folder <dir>', 'folder of the manifests whose journal is used').default('.');

const version = whole(1, 999_999_999);
const versionOrVerified = (text: string): number | 'verified' => (text === 'verified' ? text : version(text));

export function addPlan(program: Command, run: Run): void {
  const command = program
    .command('plan')
    .summary('show what a deployment would change')
    .description(
      'Compares the manifests of a folder (*.endpoint.yaml) with the endpoints of a platform, and shows what deploy would change, with prices. ' +
        'Changes nothing. References in env, such as ${secret:NAME}, have the values of environment variables.',
    )
    .argument('<folder>', 'folder with manifests')
    .addOption(environment())
    .option('--summary <file>', 'append the plan to a file as Markdown, such as for the summary of a CI job', notEmpty)
    .addOption(beforeBuild())
    .addOption(json())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((folder, options) =>
      run(verb(({ planCommand }, surroundings) => planCommand({ folder, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'The endpoints match the manifests.'],
    ['1', 'A manifest has a problem, or the platform cannot be read.'],
    ['2', 'A deployment would create or update endpoints.'],
  ]);
}

export function addDeploy(program: Command, run: Run): void {
  const command = program
    .command('deploy')
    .summary('create and update the endpoints of a folder')
    .description(
      'Creates and updates endpoints so that they match the manifests of a folder, and waits until each one works. Never deletes an endpoint ' +
        'that is not in the folder. In production, it asks for the name of the environment instead of yes.',
    )
    .argument('<folder>', 'folder with manifests')
    .addOption(environment())
    .addOption(yes())
    .option('--keep-going', 'deploy the other manifests if one has a problem')
    .option('--gate', 'run the gates that x-gate requires and that have no verdict')
    .option('--skip-gate <reason>', 'deploy without the gates that x-gate requires, and store the reason', notEmpty)
    .option('--rollback-on-failure', 'undo a change whose endpoint does not work')
    .addOption(verifyTimeout())
    .addOption(json())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((folder, options) =>
      run(verb(({ deployCommand }, surroundings) => deployCommand({ folder, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'All endpoints of the folder are deployed and work.'],
    ['1', 'A manifest has a problem, or an endpoint was not deployed or does not work.'],
  ]);
}

export function addRollback(program: Command, run: Run): void {
  const command = program
    .command('rollback')
    .summary('return an endpoint to an earlier release')
    .description(
      'Returns an endpoint to the settings of an earlier release, and waits until it works. Values of environment variables that the platform ' +
        'hides keep their present values, and are named. In production, it asks for the name of the environment instead of yes.',
    )
    .argument('<endpoint>', 'name or ID of the endpoint')
    .option(
      '--to <version>',
      'version of the release, or verified: the last one whose deployment was verified (default: the one before the present settings)',
      versionOrVerified,
    )
    .addOption(folder())
    .addOption(yes())
    .addOption(verifyTimeout())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((endpoint, options) =>
      run(verb(({ rollbackCommand }, surroundings) => rollbackCommand({ endpoint, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'The endpoint has the settings of the release and works.'],
    ['1', 'The endpoint was not changed, or does not work.'],
  ]);
}

export function addDeployments(program: Command, run: Run): void {
  const command = program
    .command('deployments')
    .summary('list past deployments')
    .description(
      'Prints the journal of deployments, newest first: time, result, verification, version, commit, person, and image. The journal of a hosted ' +
        'platform is .cloud-compute/deployments.jsonl in the repository, and that of the local platform is in its data directory.',
    )
    .argument('[endpoint]', 'name of the endpoint (default: all)')
    .addOption(folder())
    .addOption(json())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((endpoint, options) =>
      run(verb(({ deploymentsCommand }, surroundings) => deploymentsCommand({ endpoint, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'The deployments are printed.'],
    ['1', 'The journal cannot be read, or its lines were changed or removed.'],
  ]);
}
