import { html, nothing, type TemplateResult } from 'lit';
import { chartFrame, type ChartActions } from './chart.ts';
import { controls } from './controls.ts';
import { legend, type LegendActions } from './legend.ts';
import type { BillingChart, BillingExport, BillingFailure, BillingToHost } from './messages.ts';
import type { Model } from './model.ts';
import { summary } from './summary.ts';
import { spendTable, type TableActions } from './table.ts';
import { amountText, exactAmountText, SUBJECTS } from './words.ts';

/** Actions of the page. */
export interface Actions extends ChartActions, LegendActions, TableActions {
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
      ${problem ? failure(problem, isKnown, actions) : nothing}
      ${isKnown ? content(model, chart, actions) : problem ? nothing : html`<p class="loading">Loading the spend…</p>`}
      <div class="visually-hidden" role="status">
        ${exported === 'clipboard' ? 'Copied as CSV' : exported === 'file' ? 'Exported' : ''}
      </div>
    </main>
  `;
}

function heading({ view, asTable, chart }: Model, { send, toggleTable }: Actions): TemplateResult {
  const { connection, team, failure: problem } = view;
  return html`
    <header>
      <h1>
        Billing ${connection === undefined ? nothing : html`<span class="dim">${connection}</span>`}
        ${team === undefined ? nothing : html`<span class="dim">Team ${team}</span>`}
      </h1>
      <div class="buttons">
        <vscode-button secondary ?disabled=${!chart} @click=${toggleTable}>
          ${asTable ? 'Show as Chart' : 'Show as Table'}
        </vscode-button>
        <vscode-button secondary ?disabled=${problem?.retry === false} @click=${() => send({ type: 'refresh' })}>
          Refresh
        </vscode-button>
      </div>
    </header>
  `;
}

function failure({ message, retry, remedy }: BillingFailure, hasData: boolean, { send }: Actions): TemplateResult {
  return html`
    <div class="notice ${retry ? 'failure' : ''}" role="alert">
      <p>${message}${hasData ? ' The data below may be out of date.' : ''}</p>
      <div class="buttons">
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

function content(model: Model, chart: BillingChart | undefined, actions: Actions): TemplateResult {
  const { view } = model;
  const updated = view.updatedAt === undefined ? undefined : new Date(view.updatedAt);
  return html`
    ${summary(view, chart)} ${view.chartFailure ? failure(view.chartFailure, chart !== undefined, actions) : nothing}
    <section aria-label="Spend over time">
      ${
        chart
          ? report(model, chart, actions)
          : view.chartFailure
            ? nothing
            : html`<p class="loading">Loading the groups…</p>`
      }
    </section>
    ${view.notes.map((note) => html`<p class="dim note">${note}</p>`)}
    <footer class="dim">
      ${updated ? html`Updated <time datetime=${updated.toISOString()}>${updated.toLocaleTimeString()}</time>.` : nothing}
      Amounts are in US dollars. Bars begin and end in UTC.
    </footer>
  `;
}

function report(model: Model, chart: BillingChart, actions: Actions): TemplateResult {
  if (chart.series.length === 0) return empty(model, chart, actions);
  return html`
    ${
      chart.grouping === 'kind'
        ? nothing
        : html`<p class="subject">
            ${SUBJECTS[chart.grouping]}:
            <strong title=${exactAmountText(chart.total)}>${amountText(chart.total)}</strong>
          </p>`
    }
    ${legend(chart, model.hidden, actions)}
    ${model.asTable ? spendTable(chart, model, actions) : chartFrame(chart, model, actions)} ${exports(model, actions)}
  `;
}

function empty({ view }: Model, { grouping }: BillingChart, { send }: Actions): TemplateResult {
  if (grouping !== 'kind' && view.total !== 0)
    return html`
      <div class="empty">
        <p>${SUBJECTS[grouping]} had no spend in this period.</p>
        <vscode-button @click=${() => send({ type: 'select', selection: { ...view.selection, grouping: 'kind' } })}
          >Show All Resources</vscode-button
        >
      </div>
    `;
  return html`
    <div class="empty">
      <p>There is no usage in this period. Run a job to see the cost of its worker here.</p>
      <vscode-button @click=${() => send({ type: 'act', action: 'runJob' })}>Run Job…</vscode-button>
    </div>
  `;
}

function exports({ asTable, exported }: Model, { send, exportPicture }: Actions): TemplateResult {
  const save = (format: BillingExport) => () => send({ type: 'export', format });
  return html`
    <div class="buttons exports" role="group" aria-label="Export">
      <vscode-button secondary @click=${save('csv')}>Export CSV…</vscode-button>
      <vscode-button secondary @click=${save('json')}>Export JSON…</vscode-button>
      ${asTable ? nothing : html`<vscode-button secondary @click=${exportPicture}>Export PNG…</vscode-button>`}
      <vscode-button secondary @click=${() => send({ type: 'copy' })}
        >${exported === 'clipboard' ? 'Copied' : 'Copy as CSV'}</vscode-button
      >
    </div>
  `;
}
