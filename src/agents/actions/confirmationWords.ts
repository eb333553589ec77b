import * as l10n from '@vscode/l10n';
import { readPrices } from '../../features/spend/actions/readMeasurements.ts';
import { precise, pricePerHour } from '../../account/prices/money.ts';
import { workerPrice, type Hardware } from '../../account/prices/workerPrice.ts';
import { costOf } from '../../account/prices/workerCost.ts';
import { duration } from '../../text/quantities.ts';
import type { ProcessCommand, SentReference } from '../../account/consent/trustDecision.ts';
import { oneLine } from '../../text/shownText.ts';
import { ToolError } from '../model/toolError.ts';
import type { ToolConnection } from './agentTool.ts';

/* Lines of confirmations. */

/** Returns the line that names the platform. */
export function platformLine({ name, host, isLocal }: ToolConnection): string {
  return isLocal ? l10n.t`Platform: ${name} (${host}), on this machine` : l10n.t`Platform: ${name} (${host})`;
}

/** Returns the highest price of one worker, in USD per hour. Undefined if it is not known. */
export async function priceOf(
  { client }: ToolConnection,
  hardware: Hardware,
  signal: AbortSignal,
): Promise<number | undefined> {
  const prices = await readPrices(client, { signal }).catch(() => {
    signal.throwIfAborted();
    // The question says that the price is not known.
    return undefined;
  });
  return prices && workerPrice(hardware, prices);
}

const FREE = l10n.t('Cost: none. The local platform is free.');

/** Returns the line about the cost of running workers. @param price USD per hour and worker */
export function workerCostLine({ isLocal }: ToolConnection, price: number | undefined): string {
  if (isLocal) return FREE;
  return price === undefined
    ? l10n.t('Cost: the platform bills each worker while it runs. The price per hour is not known.')
    : l10n.t`Cost: up to ${pricePerHour(price)} for each worker while it runs.`;
}

/** Returns the line about the cost of one request. @param longestMs maximum execution time */
export function requestCostLine(connection: ToolConnection, price: number | undefined, longestMs: number): string {
  if (connection.isLocal || price === undefined) return workerCostLine(connection, price);
  const time = duration(longestMs / 1000);
  const most = precise(costOf(longestMs / 1000, price));
  return l10n.t`Cost: up to ${pricePerHour(price)}, at most ${most} for an execution of ${time}. The start and the idle time of a worker are billed too.`;
}

/** Returns the lines about the platform and the highest cost of one request. @param longestMs maximum execution time */
export async function requestLines(
  connection: ToolConnection,
  hardware: Hardware,
  longestMs: number,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const price = connection.isLocal ? undefined : await priceOf(connection, hardware, signal);
  return [platformLine(connection), requestCostLine(connection, price, longestMs)];
}

/** Longest command that a question shows completely, in UTF-16 code units. */
const LONGEST_COMMAND = 900;

/**
 * Returns the lines about a command that runs outside any container.
 *
 * @throws ToolError `notPossible` for a command that is too long to be shown completely, because its end could do anything
 */
export function processLines({ isLocal }: ToolConnection, process: ProcessCommand | undefined): readonly string[] {
  if (!process) return [];
  const { command, directory, environment } = process;
  if (oneLine(command).length > LONGEST_COMMAND)
    throw new ToolError(
      'notPossible',
      `The command has more than ${LONGEST_COMMAND} characters, so the user cannot review it. Put it into a script, and run the script.`,
    );
  return [
    l10n.t`Runs a command as a process ${isLocal ? l10n.t('on this machine') : l10n.t('on the machine of the platform')}: ${command === '' ? '(none)' : command}`,
    l10n.t`Directory: ${directory}`,
    ...(environment.length > 0 ? [l10n.t`Environment variables of the command: ${environment.join(', ')}`] : []),
  ];
}

/** Returns the lines about the values that are sent, which name them only. */
export function referenceLines(references: readonly SentReference[]): readonly string[] {
  const named = (label: string, kind: SentReference['kind']) => {
    const names = references.filter((one) => one.kind === kind).map((one) => one.name);
    return names.length > 0 ? [`${label}: ${names.join(', ')}`] : [];
  };
  return [...named(l10n.t('Sends secrets'), 'secret'), ...named(l10n.t('Sends environment variables'), 'env')];
}
