import { Option, type Command } from '@commander-js/extra-typings';
import { SUMMARY_GROUPINGS, SUMMARY_PERIODS } from '../../features/spend/billing/actions/readSummary.ts';
import { connection, dataDirectory, documentExits, json } from '../program/options.ts';
import type { Run } from '../program/surroundings.ts';
import { verb } from '../program/verb.ts';

export function addBill(program: Command, run: Run): void {
  const command = program
    .command('bill')
    .summary('print the spend of the account')
    .description(
      'Prints the spend of the account, and for the current calendar month (UTC) also a forecast. Costs of the local platform are ' +
        'metered, but not charged.',
    )
    .addOption(
      new Option('--period <period>', 'the last 24 hours, 7 days, 30 days, or 12 months, or a calendar month')
        .choices(SUMMARY_PERIODS)
        .default('thisMonth' as const),
    )
    .addOption(
      new Option('--group-by <group>', 'how the spend is divided')
        .choices(SUMMARY_GROUPINGS)
        .default('endpoint' as const),
    )
    .addOption(json())
    .addOption(connection())
    .addOption(dataDirectory())
    .action((options) => run(verb(({ billCommand }, surroundings) => billCommand(options, surroundings))));
  documentExits(command, [
    ['0', 'The spend is printed.'],
    ['1', 'The platform cannot be read.'],
  ]);
}
