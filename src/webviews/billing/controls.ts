import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { BucketSize } from '../../contract/billing.ts';
import { choice } from '../charts/parts.ts';
import type { BillingGrouping, BillingPeriod, BillingSelection, BillingToHost, BillingView } from './messages.ts';
import { BUCKETS, GROUPINGS, PERIODS } from './words.ts';

type Send = (message: BillingToHost) => void;

/** Renders the fields of the selection: the period, the length of the bars, and what they are stacked by. */
export function controls({ selection, bucketSizes, problem }: BillingView, send: Send): TemplateResult {
  const select = (change: Partial<BillingSelection>) => send({ type: 'select', change });
  return html`
    <div class="controls" role="group" aria-label=${l10n.t('Selection')}>
      ${choice(l10n.t('Period'), PERIODS, selection.period, (period: BillingPeriod) => select({ period }))}
      ${selection.period === 'last' ? countField(selection, problem, select) : nothing}
      ${selection.period === 'custom' ? timeFields(selection, problem, select) : nothing}
      ${choice(l10n.t('Bars'), only(BUCKETS, bucketSizes), selection.bucketSize, (bucketSize: BucketSize) => select({ bucketSize }))}
      ${choice(l10n.t('Stacked by'), GROUPINGS, selection.grouping, (grouping: BillingGrouping) => select({ grouping }))}
      ${problem === undefined ? nothing : html`<p class="problem" id="problem" role="alert">${problem}</p>`}
    </div>
  `;
}

function only(names: Readonly<Record<BucketSize, string>>, sizes: readonly BucketSize[]): Record<string, string> {
  return Object.fromEntries(sizes.map((size) => [size, names[size]]));
}

type Select = (change: Partial<BillingSelection>) => void;

function countField({ count }: BillingSelection, problem: string | undefined, select: Select): TemplateResult {
  const change = (event: Event) => select({ count: (event.target as HTMLInputElement).valueAsNumber || 0 });
  return html`
    <label class="field">
      <span class="label">${l10n.t('Number')}</span>
      <input
        type="number"
        min="1"
        step="1"
        .value=${String(count)}
        aria-invalid=${problem !== undefined}
        aria-describedby=${problem === undefined ? nothing : 'problem'}
        @change=${change}
      />
    </label>
  `;
}

const DAY_MS = 86_400_000;

/**
 * Renders the start and the end. Bars of hours have times, and longer bars have dates. The last date is included, as people read dates, but
 * the selection has an exclusive end.
 */
function timeFields(selection: BillingSelection, problem: string | undefined, select: Select): TemplateResult {
  const hasTimes = selection.bucketSize === 'hour';
  const start = parse(selection.start);
  const end = parse(selection.end);
  const last = hasTimes || end === undefined ? end : Math.ceil(end / DAY_MS) * DAY_MS - DAY_MS;
  return html`
    ${timeField(hasTimes ? l10n.t('From (UTC)') : l10n.t('First day (UTC)'), hasTimes, start, problem, (time) => select({ start: iso(time) }))}
    ${timeField(hasTimes ? l10n.t('Until (UTC)') : l10n.t('Last day (UTC)'), hasTimes, last, problem, (time) =>
      select({ end: iso(hasTimes || time === undefined ? time : time + DAY_MS) }),
    )}
  `;
}

function timeField(
  label: string,
  hasTime: boolean,
  value: number | undefined,
  problem: string | undefined,
  onChange: (time: number | undefined) => void,
): TemplateResult {
  const text = value === undefined ? '' : new Date(value).toISOString().slice(0, hasTime ? 16 : 10);
  // The value of the field has no time zone, and is read as UTC.
  const change = (event: Event) => {
    const { value: entered } = event.target as HTMLInputElement;
    onChange(parse(entered === '' ? undefined : `${entered}${hasTime ? ':00Z' : 'T00:00:00Z'}`));
  };
  return html`
    <label class="field">
      <span class="label">${label}</span>
      <input
        type=${hasTime ? 'datetime-local' : 'date'}
        step=${hasTime ? '3600' : nothing}
        .value=${text}
        aria-invalid=${problem !== undefined}
        aria-describedby=${problem === undefined ? nothing : 'problem'}
        @change=${change}
      />
    </label>
  `;
}

function parse(text: string | undefined): number | undefined {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** An empty time stays empty, so that the editor does not replace it by the shown window. */
function iso(time: number | undefined): string {
  return time === undefined ? '' : new Date(time).toISOString();
}
