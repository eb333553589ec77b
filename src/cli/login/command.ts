import type { Command } from '@commander-js/extra-typings';
import { documentExits, notEmpty } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';

export function addLogin(program: Command, run: Run): void {
  const command = program
    .command('login')
    .summary('store the key of a hosted platform in the keyring')
    .description(
      'Asks for an API key, or reads it from standard input, checks it, and stores it in the keyring of the operating system. The other commands ' +
        'then use this platform by default.',
    )
    .argument('<base-url>', 'address of the management API')
    .option('--name <name>', 'name of the login (default: the host)', notEmpty)
    .option(
      '--rest-url <url>',
      'address of the v1 API (default: derived from the base URL, like the next two)',
      notEmpty,
    )
    .option('--queue-url <url>', 'address of queue-based endpoints', notEmpty)
    .option('--endpoint-host <url>', 'address of load-balanced endpoints, with {endpoint_id}', notEmpty)
    .option('--team-id <id>', 'ID of the team to act for (default: the account of the key)', notEmpty)
    .action((baseUrl, options) =>
      run(verb(({ loginCommand }, surroundings) => loginCommand({ baseUrl, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'The platform accepted the key, and it is stored.'],
    ['1', 'The platform refused the key, or the keyring cannot be used.'],
  ]);
}

export function addLogout(program: Command, run: Run): void {
  const command = program
    .command('logout')
    .summary('remove a login and its key')
    .description('Removes a login and its key.')
    .argument('<name>', 'name of the login')
    .action((name) => run(verb(({ logoutCommand }, surroundings) => logoutCommand(name, surroundings))));
  documentExits(command, [
    ['0', 'The login and its key are removed.'],
    ['1', 'There is no such login, or the keyring cannot be used.'],
  ]);
}
