import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { amountText, exactAmountText } from '../charts/numbers.ts';
import type { BillingChange, BillingChart, BillingFailure, BillingForecast, BillingView } from './messages.ts';
import { withElements } from '../language/language.ts';
import { basisText, changeText, comparedText, localWindowText, monthText, recordsText, windowText } from './words.ts';

/** Renders the figures above the chart: the spend, its change, and the forecast of the month. */
export function summary(view: BillingView, chart: BillingChart | undefined): TemplateResult {
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
