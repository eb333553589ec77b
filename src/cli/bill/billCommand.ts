import { precise } from '../../account/prices/money.ts';
import { readSummary, type SpendSummary, type SummaryQuery } from '../../features/spend/billing/actions/readSummary.ts';
import { withoutControls } from '../../text/shownText.ts';
import { withSession, type ConnectionOptions, type Session } from '../connection/openSession.ts';
import { EXIT_CODES } from '../program/exitCodes.ts';
import type { Surroundings } from '../program/surroundings.ts';

export interface BillFlags extends ConnectionOptions, Pick<SummaryQuery, 'period' | 'groupBy'> {
  readonly json?: boolean | undefined;
}

/** Prints the spend of a period. */
export function billCommand({ period, groupBy, json, ...connection }: BillFlags, surroundings: Surroundings) {
  const { write, signal } = surroundings;
  return withSession(connection, surroundings, async (session) => {
    const summary = await readSummary(session.client, { period, groupBy }, signal);
    if (json) write(session.json({ connection: session.name, ...summary }));
    else for (const line of billLines(summary, session)) write(`${session.hide(withoutControls(line))}\n`);
    return EXIT_CODES.done;
  });
}

function billLines({ start, end, totalUsd, groups, forecast }: SpendSummary, { name, isLocal }: Session): string[] {
  const amounts = [...groups.map(({ usd }) => usd), totalUsd].map(precise);
  const width = Math.max(...amounts.map(({ length }) => length));
  const row = (usd: number, label: string): string => `${precise(usd).padStart(width)}  ${label}`;
  return [
    `${name}, ${start ?? ''} to ${end ?? ''}${isLocal ? ' (metered like a hosted platform, but nobody pays it)' : ''}:`,
    ...groups.map((group) => row(group.usd, group.name)),
    row(totalUsd, 'total'),
    ...(forecast
      ? [
          `Expected for ${forecast.month}: ${precise(forecast.expectedUsd)} (${precise(forecast.range.lowUsd)} to ${precise(forecast.range.highUsd)})`,
        ]
      : []),
  ];
}
