import { html, nothing, type TemplateResult } from 'lit';
import type { BillingChange, BillingChart, BillingFailure, BillingForecast, BillingView } from './messages.ts';
import { amountText, basisText, exactAmountText, localWindowText, monthText, shareText, windowText } from './words.ts';

/** Renders the figures above the chart: the spend, its change, and the forecast of the month. */
export function summary(view: BillingView, chart: BillingChart | undefined): TemplateResult {
  const { total, change, forecast, forecastFailure } = view;
  return html`
    <div class="cards">
      <section class="card" aria-labelledby="spent">
        <h2 id="spent">Spent</h2>
        ${total === undefined ? html`<p class="figure">–</p>` : figure(total)}
        ${change && chart ? changeLine(change, chart) : nothing} ${chart ? windowLines(chart) : nothing}
      </section>
      ${forecast ? forecastCard(forecast) : nothing}
      ${!forecast && forecastFailure ? missingForecast(forecastFailure) : nothing}
    </div>
  `;
}

function figure(amount: number): TemplateResult {
  return html`<p class="figure" title=${exactAmountText(amount)}>${amountText(amount)}</p>`;
}

const NOUNS = { hour: 'hour', day: 'day', week: 'week', month: 'month', year: 'year' } as const;

function changeLine({ current, previous, buckets }: BillingChange, { bucketSize, totals }: BillingChart) {
  const noun = NOUNS[bucketSize];
  const before = buckets === 1 ? `the ${noun} before` : `the ${buckets.toLocaleString('en-US')} ${noun}s before`;
  const difference = current - previous;
  const subject =
    buckets === totals.length
      ? ''
      : ` Compares only the ${buckets === 1 ? `${noun} that is` : `${buckets.toLocaleString('en-US')} ${noun}s that are`} over.`;
  const amounts = html`<span class="dim">(${amountText(current)}, after ${amountText(previous)})</span>`;
  if (previous === 0 && current === 0)
    return html`<p class="change" title=${subject.trim()}>No spend in ${before} either.</p>`;
  if (difference === 0) return html`<p class="change" title=${subject.trim()}>As much as in ${before}.</p>`;
  const way = difference > 0 ? html`<span aria-hidden="true">▲</span>` : html`<span aria-hidden="true">▼</span>`;
  const word = difference > 0 ? 'more' : 'less';
  const size =
    previous > 0 && Math.abs(difference) / previous < 10
      ? shareText(Math.abs(difference) / previous)
      : amountText(Math.abs(difference));
  return html`<p class="change" title=${subject.trim()}>${way} ${size} ${word} than in ${before} ${amounts}</p>`;
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
              <p>spent so far</p>`
          : html`
              <p class="figure" title=${exactAmountText(expected)}>
                <span class="dim">about </span>${amountText(expected)}
              </p>
              <p>
                expected by the end, ${rangeText(low, high)}.
                <span class="dim">${amountText(spent)} spent so far.</span>
              </p>
            `
      }
      <p class="dim">${basisText(forecast)}</p>
    </section>
  `;
}

function rangeText(low: number, high: number): string {
  const [from, to] = [amountText(low), amountText(high)];
  return from === to ? 'with a steady spend' : `probably ${from} to ${to}`;
}

function missingForecast({ message }: BillingFailure): TemplateResult {
  return html`
    <section class="card" aria-labelledby="forecast">
      <h2 id="forecast">This month</h2>
      <p class="figure">–</p>
      <p class="dim">${message}</p>
    </section>
  `;
}
