import { html, nothing, type TemplateResult } from 'lit';
import { chart, legend } from './chart.ts';
import type { BillingFailure, BillingRange, BillingToHost } from './messages.ts';
import { barAfterKey, type Model } from './model.ts';
import { spendOf, type Spend } from './spend.ts';
import { spendTable } from './table.ts';
import { amountText, exactAmountText, RANGES, windowText } from './words.ts';

/** Actions of the page. */
export interface Actions {
  readonly send: (message: BillingToHost) => void;
  readonly toggleTable: () => void;
  readonly activate: (bar: number | undefined) => void;
  readonly moveTo: (bar: number) => void;
}

/** Renders the page. */
export function page(model: Model, actions: Actions): TemplateResult {
  const { view } = model;
  const spend = view.report && spendOf(view.report.response);
  return html`
    <main aria-busy=${view.busy}>
      ${toolbar(model, spend, actions)} ${view.failure ? failure(view.failure, spend !== undefined, actions) : nothing}
      ${spend ? report(spend, model, actions) : view.failure ? nothing : html`<p class="loading">Loading the spend…</p>`}
      <div class="visually-hidden" role="status">${model.copied ? 'Copied as CSV' : ''}</div>
    </main>
  `;
}

function toolbar({ view, asTable, copied }: Model, spend: Spend | undefined, { send, toggleTable }: Actions) {
  const ranges = Object.entries(RANGES) as [BillingRange, string][];
  const choose = (event: Event) => {
    const { value } = event.target as HTMLElement & { value: string };
    const chosen = ranges.find(([range]) => range === value);
    if (chosen) send({ type: 'setRange', range: chosen[0] });
  };
  return html`
    <header>
      <h1>Billing${view.connection === undefined ? nothing : html` <span class="dim">${view.connection}</span>`}</h1>
      <div class="controls">
        <vscode-single-select label="Time range" .value=${view.range} @change=${choose}>
          ${ranges.map(
            ([range, label]) =>
              html`<vscode-option value=${range} ?selected=${range === view.range}>${label}</vscode-option>`,
          )}
        </vscode-single-select>
        <vscode-button secondary ?disabled=${!spend} @click=${toggleTable}>
          ${asTable ? 'Show as Chart' : 'Show as Table'}
        </vscode-button>
        <vscode-button secondary ?disabled=${!spend} @click=${() => send({ type: 'copyCsv' })}>
          ${copied ? 'Copied' : 'Copy as CSV'}
        </vscode-button>
        <vscode-button secondary ?disabled=${view.failure?.retry === false} @click=${() => send({ type: 'refresh' })}>
          Refresh
        </vscode-button>
      </div>
    </header>
    <div class="progress ${view.busy ? 'busy' : ''}"></div>
  `;
}

function failure({ message, retry, remedy }: BillingFailure, stale: boolean, { send }: Actions) {
  return html`
    <div class="notice ${retry ? 'failure' : ''}" role="alert">
      <p>${message}${stale ? ' The data below may be out of date.' : ''}</p>
      <div class="controls">
        ${
          remedy
            ? html`<vscode-button @click=${() => send({ type: 'act', action: remedy.action })}
                >${remedy.label}</vscode-button
              >`
            : nothing
        }
        ${retry ? html`<vscode-button secondary @click=${() => send({ type: 'refresh' })}>Try Again</vscode-button>` : nothing}
      </div>
    </div>
  `;
}

function report(spend: Spend, model: Model, actions: Actions) {
  const updated = new Date(model.view.report?.updatedAt ?? 0);
  return html`
    <section aria-label="Spend">
      <p class="total">
        <span class="figure" title=${exactAmountText(spend.total)}>${amountText(spend.total)}</span>
        <span class="dim">${windowText(spend)}</span>
      </p>
      ${spend.parts.length === 0 ? empty(actions) : filled(spend, model, actions, updated.getTime())}
      <footer class="dim">
        Updated <time datetime=${updated.toISOString()}>${updated.toLocaleTimeString()}</time>. Times on the axis are
        UTC.
      </footer>
    </section>
  `;
}

function empty({ send }: Actions) {
  return html`
    <div class="empty">
      <p>There is no usage in this period. Run a job to see the cost of its worker here.</p>
      <vscode-button @click=${() => send({ type: 'act', action: 'runJob' })}>Run Job…</vscode-button>
    </div>
  `;
}

function filled(spend: Spend, model: Model, { activate, moveTo }: Actions, now: number) {
  if (model.asTable) return spendTable(spend, now);
  const last = spend.buckets.length - 1;
  const current = Math.min(model.current ?? last, last);
  const onKey = (event: KeyboardEvent) => {
    const next = barAfterKey(event.key, current, spend.buckets.length);
    if (event.key === 'Escape') activate(undefined);
    if (next === undefined) return;
    event.preventDefault();
    moveTo(next);
  };
  return html`
    ${legend(spend)}
    ${chart({ spend, width: model.width, current, active: model.active, now, onActivate: activate, onKey })}
  `;
}
