import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { barsBetween } from '../charts/bars.ts';
import { chartFrame, type FrameActions } from '../charts/frame.ts';
import { chartLegend, type LegendActions } from '../charts/legend.ts';
import { chartTooltip } from '../charts/tooltip.ts';
import type { MetricsAction, MetricsChart, MetricsToHost, MetricsMarker } from './messages.ts';
import { currentBar, type Model } from './model.ts';
import { isMeasured, type Section, type SectionId } from './sections.ts';
import { bucketText, DURATION_DETAILS, momentText } from './words.ts';
import { countText } from '../charts/numbers.ts';

/** ID of the text that describes the keys of all charts. */
export const HELP_ID = 'chart-help';

export interface SectionActions extends LegendActions, Pick<FrameActions, 'moveTo' | 'zoomTo'> {
  readonly send: (message: MetricsToHost) => void;
  readonly activate: (section: SectionId, bar: number | undefined) => void;
  readonly listJobs: (section: SectionId, bar: number) => void;
}

/** Renders one of the charts: its heading, its legend, and its plot, or why it is empty. */
export function sectionView(
  model: Model,
  chart: MetricsChart,
  section: Section,
  actions: SectionActions,
): TemplateResult {
  const { id, title, series } = section;
  const detail = id === 'durations' ? DURATION_DETAILS[chart.duration] : undefined;
  return html`
    <section class="metric" data-section=${id} aria-labelledby="title-${id}">
      <h2 id="title-${id}">${title} ${detail === undefined ? nothing : html`<span class="dim">${detail}</span>`}</h2>
      ${
        series.length === 0
          ? empty(model, chart, id, actions)
          : html`${chartLegend(
              l10n.t`Series of ${title}`,
              series.map(({ id: column, label, style }) => ({ id: column, label, style })),
              model.hidden,
              { toggle: actions.toggle, showAll: actions.showAll },
            )}
            ${frame(model, chart, section, actions)}`
      }
    </section>
  `;
}

function frame(model: Model, chart: MetricsChart, section: Section, actions: SectionActions): TemplateResult {
  const current = currentBar(model);
  const { active } = model;
  return chartFrame(
    {
      label: section.listsJobs ? l10n.t`${section.title}. Press Enter to list the jobs` : section.title,
      count: chart.count,
      bars: barsBetween(model.timeline, model.zoom),
      current,
      spoken: spokenBar(chart, section, current, model.hidden),
      helpId: HELP_ID,
      tooltip: active?.section === section.id ? tooltip(chart, section, active.bar, model.hidden) : undefined,
    },
    {
      activate: (bar) => actions.activate(section.id, bar),
      moveTo: (bar) => {
        actions.moveTo(bar);
        actions.activate(section.id, bar);
      },
      zoomTo: actions.zoomTo,
      ...(section.listsJobs && { choose: (bar: number) => actions.listJobs(section.id, bar) }),
    },
  );
}

/** Returns the values of a bucket. Zeros are left out. */
function valuesAt(chart: MetricsChart, section: Section, index: number, hidden: readonly string[]) {
  return section.series
    .filter(({ id }) => !hidden.includes(id))
    .flatMap(({ id, label, style }) => {
      const value = chart.columns[id]?.[index] ?? 0;
      return value === 0 ? [] : [{ label, style, value: section.text(value) }];
    });
}

/** Says why a bucket has no values. */
function nothingText(chart: MetricsChart, index: number): string {
  return isMeasured(chart, index) ? l10n.t('None') : l10n.t('Not measured');
}

function tooltip(chart: MetricsChart, section: Section, index: number, hidden: readonly string[]): TemplateResult {
  const values = valuesAt(chart, section, index, hidden);
  const before = section.series
    .filter(({ id }) => !hidden.includes(id))
    .flatMap(({ id, label, style }) => {
      const value = chart.compared?.columns[id]?.[index] ?? 0;
      return value === 0 ? [] : [{ label: l10n.t`${label}, compared`, style, value: section.text(value) }];
    });
  return chartTooltip({
    when: bucketText(chart, index),
    rows: [...values.toReversed(), ...before.toReversed()],
    empty: nothingText(chart, index),
  });
}

/** Describes a bucket for screen readers. Without the hidden series. */
function spokenBar(chart: MetricsChart, section: Section, index: number, hidden: readonly string[]): string {
  const when = bucketText(chart, index);
  const values = valuesAt(chart, section, index, hidden);
  if (values.length === 0) return l10n.t`${when}: ${nothingText(chart, index)}`;
  return l10n.t`${when}: ${values.map(({ label, value }) => l10n.t`${label} ${value}`).join(l10n.t(', '))}`;
}

/** Explains why a chart is empty, and offers what changes it. */
function empty({ view }: Model, chart: MetricsChart, id: SectionId, { send }: SectionActions): TemplateResult {
  const { text, action, label } = reasonOf(view.observedSince !== undefined, chart, id);
  return html`
    <div class="empty">
      <p>${text}</p>
      ${action ? html`<vscode-button secondary @click=${() => send({ type: 'act', action })}>${label}</vscode-button>` : nothing}
    </div>
  `;
}

interface Reason {
  readonly text: string;
  readonly action?: MetricsAction;
  readonly label?: string;
}

function reasonOf(isObserved: boolean, chart: MetricsChart, id: SectionId): Reason {
  const { isQueue, duration, gaps, count } = chart;
  const runJob = isQueue ? ({ action: 'runJob', label: l10n.t('Run Job…') } as const) : {};
  const isNothingMeasured = gaps.length === 1 && gaps[0]?.[0] === 0 && gaps[0][1] === count;
  if (isObserved) return observedReason(chart, id, runJob);
  if (isNothingMeasured) return { text: l10n.t('The platform did not run in this period, so nothing was measured.') };
  switch (id) {
    case 'durations':
      if (duration === 'coldStart') return { text: l10n.t('No worker started in this period.'), ...runJob };
      return isQueue
        ? { text: l10n.t('No job ended in this period, so there are no durations.'), ...runJob }
        : { text: l10n.t('There was no request in this period. Send one to see its latency here.') };
    case 'outcomes':
      return isQueue
        ? { text: l10n.t('No job was submitted or ended in this period.'), ...runJob }
        : { text: l10n.t('There was no request in this period.') };
    case 'workers':
      return { text: l10n.t('No worker ran and nothing waited in this period.'), ...runJob };
    case 'cost':
      return { text: l10n.t('No worker ran in this period, so there was no cost.'), ...runJob };
  }
}

/** Explains an empty chart on a platform that does not measure. */
function observedReason({ isQueue, duration }: MetricsChart, id: SectionId, runJob: Partial<Reason>): Reason {
  switch (id) {
    case 'durations':
      if (!isQueue || duration === 'coldStart')
        return {
          text: l10n.t('This platform does not report these durations, and the editor cannot observe them.'),
        };
      return {
        text: l10n.t('This platform reports no durations. Run a job from here to see its duration.'),
        ...runJob,
      };
    case 'outcomes':
      return isQueue
        ? { text: l10n.t('No job has ended while this view was open.'), ...runJob }
        : { text: l10n.t('This platform does not report the requests of an endpoint.') };
    case 'workers':
      return { text: l10n.t('No worker has run while this view was open.'), ...runJob };
    case 'cost':
      return {
        text: l10n.t('This platform does not report the cost here. Billing has the cost of each endpoint by hour.'),
        action: 'openBilling',
        label: l10n.t('Open Billing'),
      };
  }
}

/** Maximum number of listed events. The newest ones are listed. */
const MAX_LISTED = 100;

/** Renders the vertical lines of the charts as a list, newest first. */
export function markerList(markers: readonly MetricsMarker[]): TemplateResult {
  if (markers.length === 0) return html``;
  const listed = markers.slice(-MAX_LISTED).toReversed();
  return html`
    <details class="markers">
      <summary>${l10n.t`Releases and crashes (${countText(markers.length)})`}</summary>
      <ul>
        ${listed.map((marker) => html`<li><span class="dim">${momentText(marker.at)}</span> ${words(marker)}</li>`)}
      </ul>
      ${
        markers.length > listed.length
          ? html`<p class="dim">${l10n.t`The last ${countText(listed.length)} of ${countText(markers.length)}.`}</p>`
          : nothing
      }
    </details>
  `;
}

function words({ kind, release, workerId, deployment }: MetricsMarker): string {
  if (kind === 'release') {
    const name = release === undefined ? l10n.t('New release') : l10n.t`Release ${release}`;
    return deployment === undefined ? name : `${name} · ${deployment}`;
  }
  return workerId === undefined ? l10n.t('A worker crashed') : l10n.t`Worker ${workerId} crashed`;
}
