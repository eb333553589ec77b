import { Option, type Command } from '@commander-js/extra-typings';
import { connection, dataDirectory, documentExits, environment, json, whole } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';

const MAX_INTERVAL_S = 120;
const DEFAULT_INTERVAL_S = 15;

export function addWatch(program: Command, run: Run): void {
  const command = program
    .command('watch')
    .summary('tell when a condition of x-alerts holds')
    .description(
      'Watches the endpoints of manifests with x-alerts until an interruption, and prints a line when a condition begins to hold and when it ends. ' +
        'An endpoint belongs to the manifest with its name. The manifests are read once. The watch continues after a restart of the platform.',
    )
    .argument('[path...]', 'manifests, or folders with manifests (default: the current folder)')
    .addOption(
      new Option('--webhook <url>', 'address that receives each notice as JSON; a failed delivery is repeated').env(
        'CLOUD_COMPUTE_WEBHOOK',
      ),
    )
    .option('--interval <seconds>', 'time between two checks', whole(5, MAX_INTERVAL_S), DEFAULT_INTERVAL_S)
    .option('--once', 'check once, and report the conditions that hold; requires a platform that measures')
    .addOption(json())
    .addOption(environment())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((paths, options) =>
      run(verb(({ watchCommand }, surroundings) => watchCommand({ paths, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'With --once, no condition holds.'],
    [
      '1',
      'With --once, a condition holds. Otherwise, the watch could not start, for example because of an invalid manifest.',
    ],
    ['2', 'With --once, the platform does not measure, so nothing is known.'],
  ]);
}
