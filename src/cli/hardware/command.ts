import { InvalidArgumentError, Option, type Command } from '@commander-js/extra-typings';
import { connection, dataDirectory, documentExits, environment, json } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';

/** Parses an amount above 0. */
function amount(text: string): number {
  const number = /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (!(number > 0)) throw new InvalidArgumentError('It must be a number above 0.');
  return number;
}

export function addHardware(program: Command, run: Run): void {
  const command = program
    .command('hardware')
    .summary('compare the hardware for a manifest')
    .description(
      'Prints the GPU pools or CPU flavors that satisfy a manifest, with their memory, price, and stock in the data centers of its volumes. ' +
        'The cheapest are first: by the cost of a job if the platform has measured jobs of the endpoint, otherwise by the hourly price.',
    )
    .argument('<file>', 'manifest (*.endpoint.yaml)')
    .option('--memory <gb>', 'memory that a worker needs, in GB', amount)
    .option('--budget <usd>', 'monthly budget, in USD', amount)
    .addOption(
      new Option('--kind <kind>', 'kind of hardware (default: that of the manifest)').choices(['gpu', 'cpu'] as const),
    )
    .option('--all', 'also print the hardware that does not satisfy the manifest, with the reasons')
    .addOption(json())
    .addOption(environment())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((file, options) =>
      run(verb(({ hardwareCommand }, surroundings) => hardwareCommand({ file, ...options }, surroundings))),
    );
  documentExits(command, [
    ['0', 'Hardware satisfies each endpoint of the manifest.'],
    ['1', 'No hardware does, the manifest is invalid, or the platform cannot be read.'],
  ]);
}
