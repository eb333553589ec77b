import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { barsBetween } from '../charts/bars.ts';
import { zoomButtons } from '../charts/frame.ts';
import { failureNotice, exportButtons, exportStatus } from '../charts/parts.ts';
import { timeText } from '../charts/numbers.ts';
import { chartTable, type TableActions, type TableColumn } from '../charts/table.ts';
import { withElements } from '../language/language.ts';
import { controls } from './controls.ts';
import { jobList, type JobActions } from './jobs.ts';
import type { MetricsChart, MetricsToHost, MetricsSelection, MetricsView } from './messages.ts';
import { currentBar, type Model } from './model.ts';
import { HELP_ID, sectionView, type SectionActions, markerList } from './section.ts';
import { isMeasured, sectionsOf } from './sections.ts';
import { bucketText, observedText, timeZone, differenceText, summaryColumns } from './words.ts';

/** Actions of the page. */
export interface Actions extends SectionActions, TableActions, JobActions {
  readonly send: (message: MetricsToHost) => void;
  readonly toggleTable: () => void;
}

/** Renders the page. */
export function page(model: Model, actions: Actions): TemplateResult {
  const { view, chart, exported } = model;
  const { failure: problem } = view;
  return html`
    <main aria-busy=${view.busy}>
      ${heading(model, actions)} ${controls(view, actions.send)}
      <div class="progress ${view.busy ? 'busy' : ''}"></div>
      ${problem ? failureNotice(problem, chart !== undefined, actions.send) : nothing}
      ${view.comparisonFailure ? failureNotice(view.comparisonFailure, false, actions.send) : nothing}
      ${chart ? content(model, chart, actions) : problem ? nothing : html`<p class="loading">${l10n.t('Loading the metrics…')}</p>`}
      ${exportStatus(exported)}
    </main>
  `;
}

function heading({ view, asTable, chart }: Model, { send, toggleTable }: Actions): TemplateResult {
  const { target, connection, failure: problem } = view;
  return html`
    <header>
      <h1>
        ${l10n.t('Metrics')} <span class="dim">${target.name}</span>
        ${connection === undefined ? nothing : html`<span class="dim">${connection}</span>`}
      </h1>
      <div class="buttons">
        <vscode-button secondary ?disabled=${!chart} @click=${toggleTable}>
          ${asTable ? l10n.t('Show as Charts') : l10n.t('Show as Table')}
        </vscode-button>
        <vscode-button secondary ?disabled=${problem?.retry === false} @click=${() => send({ type: 'refresh' })}>
          ${l10n.t('Refresh')}
        </vscode-button>
      </div>
    </header>
  `;
}

function content(model: Model, chart: MetricsChart, actions: Actions): TemplateResult {
  const { view } = model;
  const { observedSince } = view;
  const isObserved = observedSince !== undefined;
  const updated = view.updatedAt === undefined ? undefined : new Date(view.updatedAt);
  return html`
    ${
      isObserved
        ? html`<p class="observed">
            <strong>${observedText(observedSince, view.updatedAt ?? 0)}</strong>
            ${l10n.t('This platform does not measure. The view observes workers and waiting jobs while it is open, and shows the durations of jobs that you ran from here.')}
          </p>`
        : nothing
    }
    ${summary(view, chart.isQueue)}
    ${
      chart.compared ? html`<p class="dim note">${l10n.t`Dashed lines: ${comparedName(view.selection)}.`}</p>` : nothing
    }
    ${model.asTable ? table(model, chart, actions) : charts(model, chart, actions)} ${markerList(chart.markers)}
    ${view.jobs ? jobList(view.jobs, isObserved, actions) : nothing}
    ${exportButtons(model.exported, actions.send, nothing)}
    <footer class="dim">
      ${updated ? withElements(l10n.t('Updated {0}.'), [html`<time datetime=${updated.toISOString()}>${timeText(updated)}</time>`]) : nothing}
      ${l10n.t`Times are in ${timeZone()}.`}
      ${isObserved ? nothing : l10n.t('Percentiles are accurate to 1 %. Costs are estimates in US dollars.')}
    </footer>
  `;
}

function charts(model: Model, chart: MetricsChart, actions: Actions): TemplateResult {
  const zoom = {
    bars: barsBetween(model.timeline, model.zoom),
    current: currentBar(model),
    count: chart.count,
  };
  return html`
    ${zoomButtons(zoom, actions)} ${sectionsOf(chart).map((section) => sectionView(model, chart, section, actions))}
    <p id=${HELP_ID} class="visually-hidden">
      ${l10n.t('Use the arrow keys to move between bars, plus and minus to zoom, and 0 to show the whole period. Show as Table has the same numbers.')}
    </p>
  `;
}

/** Renders the numbers of all charts. */
function table(model: Model, chart: MetricsChart, actions: Actions): TemplateResult {
  const sections = sectionsOf(chart);
  const texts = new Map<string, (value: number) => string>();
  const columns = sections.flatMap(({ series, text, title }) =>
    series.map(({ id, label, style }): TableColumn => {
      texts.set(id, text);
      return { id, label, style, detail: title, values: (chart.columns[id] ?? []).map((value) => value ?? undefined) };
    }),
  );
  return chartTable(
    {
      label: l10n.t('Metrics as a table'),
      count: chart.count,
      time: (index) =>
        isMeasured(chart, index) ? bucketText(chart, index) : l10n.t`${bucketText(chart, index)}, not measured`,
      columns,
      cell: (value, { id }) =>
        html`<td class="amount">${value === undefined ? '–' : (texts.get(id)?.(value) ?? value)}</td>`,
      hasTotals: false,
    },
    model,
    actions,
  );
}

/** Renders the numbers of the whole period, each with its difference to the comparison. */
function summary({ summary: current, compared, selection }: MetricsView, isQueue: boolean): TemplateResult {
  const columns = summaryColumns(isQueue).flatMap(({ name, label, text }) => {
    const value = current?.[name];
    const before = selection.compare === 'none' ? undefined : compared?.[name];
    return value === undefined && before === undefined ? [] : [{ label, text, value, before }];
  });
  if (columns.length === 0) return html``;
  return html`
    <dl class="figures" aria-label=${l10n.t('Whole period')}>
      ${columns.map(
        ({ label, text, value, before }) =>
          html`<div>
            <dt>${label}</dt>
            <dd class="value">${value === undefined ? '–' : text(value)}</dd>
            ${before === undefined ? nothing : html`<dd class="dim">${comparisonText(value, before, text)}</dd>`}
          </div>`,
      )}
    </dl>
  `;
}

function comparisonText(value: number | undefined, before: number, text: (value: number) => string): string {
  const difference = differenceText(value, before);
  return difference === undefined ? l10n.t`against ${text(before)}` : l10n.t`${difference} against ${text(before)}`;
}

/** Names what the numbers and the dashed lines are compared with. */
function comparedName({ compare }: MetricsSelection): string {
  return typeof compare === 'number' ? l10n.t`Release ${compare}` : l10n.t('The period before');
}
