import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { FrameActions } from '../charts/frame.ts';
import type { LegendActions } from '../charts/legend.ts';
import { failureNotice, exportButtons, exportStatus } from '../charts/parts.ts';
import { amountText, exactAmountText, timeText } from '../charts/numbers.ts';
import type { TableActions } from '../charts/table.ts';
import { spendChart, legend, spendTable } from './chart.ts';
import { controls } from './controls.ts';
import type {
  BillingChart,
  BillingToHost,
  BillingChange,
  BillingFailure,
  BillingForecast,
  BillingView,
} from './messages.ts';
import { withElements } from '../language/language.ts';
import type { Model } from './model.ts';
import {
  cutText,
  SUBJECTS,
  basisText,
  changeText,
  comparedText,
  localWindowText,
  monthText,
  recordsText,
  windowText,
} from './words.ts';

/** Actions of the page. */
export interface Actions extends FrameActions, LegendActions, TableActions {
  readonly send: (message: BillingToHost) => void;
  readonly toggleTable: () => void;
  readonly exportPicture: () => void;
}

/** Renders the page. */
export function page(model: Model, actions: Actions): TemplateResult {
  const { view, chart, exported } = model;
  const { failure: problem } = view;
  const isKnown = view.total !== undefined;
  return html`
    <main aria-busy=${view.busy}>
      ${heading(model, actions)} ${controls(view, actions.send)}
      <div class="progress ${view.busy ? 'busy' : ''}"></div>
      ${problem ? failureNotice(problem, isKnown, actions.send) : nothing}
      ${isKnown ? content(model, chart, actions) : problem ? nothing : html`<p class="loading">${l10n.t('Loading the spend…')}</p>`}
      ${exportStatus(exported)}
    </main>
  `;
}

function heading({ view, asTable, chart }: Model, { send, toggleTable }: Actions): TemplateResult {
  const { connection, team, failure: problem } = view;
  return html`
    <header>
      <h1>
        ${l10n.t('Billing')} ${connection === undefined ? nothing : html`<span class="dim">${connection}</span>`}
        ${team === undefined ? nothing : html`<span class="dim">${l10n.t`Team ${team}`}</span>`}
      </h1>
      <div class="buttons">
        <vscode-button secondary ?disabled=${!chart} @click=${toggleTable}>
          ${asTable ? l10n.t('Show as Chart') : l10n.t('Show as Table')}
        </vscode-button>
        <vscode-button secondary ?disabled=${problem?.retry === false} @click=${() => send({ type: 'refresh' })}>
          ${l10n.t('Refresh')}
        </vscode-button>
      </div>
    </header>
  `;
}

function content(model: Model, chart: BillingChart | undefined, actions: Actions): TemplateResult {
  const { view } = model;
  const updated = view.updatedAt === undefined ? undefined : new Date(view.updatedAt);
  return html`
    ${summary(view, chart)}
    ${view.chartFailure ? failureNotice(view.chartFailure, chart !== undefined, actions.send) : nothing}
    <section aria-label=${l10n.t('Spend over time')}>
      ${
        chart
          ? report(model, chart, actions)
          : view.chartFailure
            ? nothing
            : html`<p class="loading">${l10n.t('Loading the groups…')}</p>`
      }
    </section>
    ${view.notes.map((note) => html`<p class="dim note">${note}</p>`)}
    <footer class="dim">
      ${updated ? withElements(l10n.t('Updated {0}.'), [html`<time datetime=${updated.toISOString()}>${timeText(updated)}</time>`]) : nothing}
      ${l10n.t('Amounts are in US dollars. Times are in UTC.')}
    </footer>
  `;
}

function report(model: Model, chart: BillingChart, actions: Actions): TemplateResult {
  if (chart.series.length === 0) return empty(model, chart, actions);
  const cut = cutText(chart);
  return html`
    ${
      chart.grouping === 'kind'
        ? nothing
        : html`<p class="subject">
            ${withElements(l10n.t('{0}: {1}'), [
              SUBJECTS[chart.grouping],
              html`<strong title=${exactAmountText(chart.total)}>${amountText(chart.total)}</strong>`,
            ])}
          </p>`
    }
    ${legend(chart, model.hidden, actions)} ${cut === undefined ? nothing : html`<p class="dim note">${cut}</p>`}
    ${model.asTable ? spendTable(chart, model, actions) : spendChart(chart, model, actions)}
    ${exportButtons(
      model.exported,
      actions.send,
      model.asTable
        ? nothing
        : html`<vscode-button secondary @click=${actions.exportPicture}>${l10n.t('Export PNG…')}</vscode-button>`,
    )}
  `;
}

function empty({ view }: Model, { grouping }: BillingChart, { send }: Actions): TemplateResult {
  if (grouping !== 'kind' && view.total !== 0)
    return html`
      <div class="empty">
        <p>${l10n.t`${SUBJECTS[grouping]} had no spend in this period.`}</p>
        <vscode-button @click=${() => send({ type: 'select', change: { grouping: 'kind' } })}
          >${l10n.t('Show All Resources')}</vscode-button
        >
      </div>
    `;
  return html`
    <div class="empty">
      <p>${l10n.t('There is no usage in this period. Run a job to see the cost of its worker here.')}</p>
      <vscode-button @click=${() => send({ type: 'act', action: 'runJob' })}>${l10n.t('Run Job…')}</vscode-button>
    </div>
  `;
}

/** Renders the figures above the chart: the spend, its change, and the forecast of the month. */
function summary(view: BillingView, chart: BillingChart | undefined): TemplateResult {
  const { total, recordCount, change, forecast, forecastFailure } = view;
  return html`
    <div class="cards">
      <section class="card" aria-labelledby="spent">
        <h2 id="spent">${l10n.t('Spent')}</h2>
        ${total === undefined ? html`<p class="figure">–</p>` : figure(total)}
        ${change && chart ? changeLine(change, chart) : nothing} ${chart ? windowLines(chart) : nothing}
        ${recordCount === undefined ? nothing : html`<p class="dim">${recordsText(recordCount)}</p>`}
      </section>
      ${forecast ? forecastCard(forecast) : nothing}
      ${!forecast && forecastFailure ? missingForecast(forecastFailure) : nothing}
    </div>
  `;
}

function figure(amount: number): TemplateResult {
  return html`<p class="figure" title=${exactAmountText(amount)}>${amountText(amount)}</p>`;
}

function changeLine(change: BillingChange, { bucketSize, totals }: BillingChart): TemplateResult {
  const { current, previous, buckets } = change;
  const title = buckets === totals.length ? '' : comparedText(buckets, bucketSize);
  const text = changeText(change, bucketSize);
  if (current === previous) return html`<p class="change" title=${title}>${text}</p>`;
  const amounts = `(${amountText(previous)} → ${amountText(current)})`;
  return html`<p class="change" title=${title}>
    <span aria-hidden="true">${current > previous ? '▲' : '▼'}</span> ${text} <span class="dim">${amounts}</span>
  </p>`;
}

function windowLines(chart: BillingChart): TemplateResult {
  const local = localWindowText(chart);
  return html`
    <p class="dim">${windowText(chart)}</p>
    ${local === undefined ? nothing : html`<p class="dim">${local}</p>`}
  `;
}

function forecastCard(forecast: BillingForecast): TemplateResult {
  const { month, spent, expected, low, high, days } = forecast;
  return html`
    <section class="card" aria-labelledby="forecast">
      <h2 id="forecast">${monthText(month)}</h2>
      ${
        days === 0
          ? html`${figure(spent)}
              <p>${l10n.t('spent so far')}</p>`
          : html`
              <p class="figure" title=${exactAmountText(expected)}>
                ${withElements(l10n.t('about {0}'), [amountText(expected)], (text) => html`<span class="dim">${text}</span>`)}
              </p>
              <p>
                ${expectedText(low, high)}
                <span class="dim">${l10n.t`${amountText(spent)} spent so far.`}</span>
              </p>
            `
      }
      <p class="dim">${basisText(forecast)}</p>
    </section>
  `;
}

function expectedText(low: number, high: number): string {
  const [from, to] = [amountText(low), amountText(high)];
  return from === to
    ? l10n.t('expected by the end, with a steady spend.')
    : l10n.t`expected by the end, probably ${from} to ${to}.`;
}

function missingForecast({ message }: BillingFailure): TemplateResult {
  return html`
    <section class="card" aria-labelledby="forecast">
      <h2 id="forecast">${l10n.t('This month')}</h2>
      <p class="figure">–</p>
      <p class="dim">${message}</p>
    </section>
  `;
}
