import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { amountText, countText } from '../charts/numbers.ts';
import type { TuningRow, TuningToHost } from './messages.ts';
import { chosenRow, proposalsOf, type Model, type Proposal } from './model.ts';
import { scatter } from './scatter.ts';

export interface Actions {
  readonly send: (message: TuningToHost) => void;
  readonly choose: (id: string) => void;
  readonly aim: (seconds: number | undefined) => void;
}

/** Renders the page. */
export function page(model: Model, actions: Actions): TemplateResult {
  const { name, connection, notes, failure } = model.view;
  const isRunning = model.view.state === 'running';
  return html`
    <main aria-busy=${isRunning}>
      <header>
        <h1>${l10n.t`Scaling of ${name}`} <span class="dim">${connection}</span></h1>
        <div class="buttons">${buttons(model, actions)}</div>
      </header>
      ${progress(model)}
      ${failure === undefined ? nothing : html`<div class="notice failure" role="alert"><p>${failure}</p></div>`}
      ${content(model, actions)}
      <footer class="dim">
        <ul aria-label=${l10n.t('About these numbers')}>
          ${notes.map((note) => html`<li>${note}</li>`)}
        </ul>
      </footer>
    </main>
  `;
}

function buttons({ view }: Model, { send }: Actions): TemplateResult {
  return view.state === 'running'
    ? html`<vscode-button secondary @click=${() => send({ type: 'cancel' })}>${l10n.t('Cancel')}</vscode-button>`
    : html`<vscode-button secondary @click=${() => send({ type: 'repeat' })}
        >${l10n.t('Simulate Again')}</vscode-button
      >`;
}

function progress({ view: { state, done, total } }: Model): TemplateResult {
  const isRunning = state === 'running';
  const text =
    total === 0
      ? isRunning
        ? l10n.t('Reading the load and the hardware…')
        : ''
      : state === 'canceled'
        ? l10n.t`Canceled after ${countText(done)} of ${countText(total)} settings.`
        : l10n.t`${countText(done)} of ${countText(total)} settings simulated.`;
  return html`
    <div class="progress ${isRunning ? 'busy' : ''}"></div>
    <p class="dim count">${text}</p>
    <div class="visually-hidden" role="status">${isRunning ? l10n.t('Simulating…') : text}</div>
  `;
}

function content(model: Model, actions: Actions): TemplateResult {
  const { result, view } = model;
  if (!result || result.rows.length === 0)
    return view.state !== 'done'
      ? html``
      : html`<div class="empty">
          <p>${l10n.t('No job completed in the simulation, so there is nothing to compare.')}</p>
        </div>`;
  const chosen = chosenRow(model);
  return html`
    ${chosen ? card(chosen, model, actions) : nothing} ${proposals(model, chosen, actions)}
    ${scatter(result, chosen, { width: model.width, choose: actions.choose })} ${frontier(result.rows, chosen, actions)}
  `;
}

function card(chosen: TuningRow, { view }: Model, { send }: Actions): TemplateResult {
  return html`
    <section class="cards" aria-label=${l10n.t('Chosen settings')}>
      <div class="card">
        <h2>${chosen.isPresent ? l10n.t('Present settings') : l10n.t('Chosen settings')}</h2>
        <p class="figure" aria-live="polite">
          ${amountText(chosen.usd)} <span class="dim">${l10n.t('a month')}</span> ${chosen.wait}
          <span class="dim">${l10n.t('p95 wait')}</span>
        </p>
        ${
          chosen.isPresent
            ? html`<p class="dim">${l10n.t('Choose a row of the table to compare it.')}</p>`
            : html`<p><strong>${chosen.comparison}</strong></p>
                <p class="changes">${chosen.changes}</p>
                <vscode-button
                  ?disabled=${view.state === 'running'}
                  @click=${() => send({ type: 'apply', id: chosen.id })}
                >
                  ${view.applies === 'manifest' ? l10n.t('Apply to Manifest') : l10n.t('Update Endpoint…')}
                </vscode-button>`
        }
      </div>
    </section>
  `;
}

const TITLES: Readonly<Record<Proposal['kind'], string>> = {
  cheapest: l10n.t('Cheapest at the same wait'),
  fastest: l10n.t('Fastest at the same cost'),
  target: l10n.t('Cheapest under the target'),
};

function proposals(model: Model, chosen: TuningRow | undefined, { choose, aim }: Actions): TemplateResult {
  const change = (event: Event) => {
    const seconds = (event.target as HTMLInputElement).valueAsNumber;
    aim(Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined);
  };
  return html`
    <div class="controls" role="group" aria-label=${l10n.t('Proposals')}>
      ${proposalsOf(model).map(({ kind, row }) =>
        row
          ? html`<button type="button" class="proposal" aria-pressed=${row === chosen} @click=${() => choose(row.id)}>
              ${TITLES[kind]} <span class="dim">${amountText(row.usd)}, ${row.wait}</span>
            </button>`
          : html`<span class="proposal dim">
              ${TITLES[kind]}: ${kind === 'target' ? l10n.t('no setting') : l10n.t('the present settings')}
            </span>`,
      )}
      <label class="field">
        <span class="label">${l10n.t('Longest p95 wait (s)')}</span>
        <input type="number" min="0" step="any" .value=${String(model.targetSeconds ?? '')} @change=${change} />
      </label>
    </div>
  `;
}

function frontier(rows: readonly TuningRow[], chosen: TuningRow | undefined, { choose }: Actions): TemplateResult {
  const cell = (text: string) => html`<td>${text}</td>`;
  const label = l10n.t('Settings that no others beat in both cost and wait');
  return html`
    <h2 class="subject" id="frontier">${label}</h2>
    <div class="table" role="region" aria-labelledby="frontier" tabindex="0">
      <table>
        <thead>
          <tr>
            ${[
              l10n.t('Settings'),
              l10n.t('Cost of a month'),
              l10n.t('p95 wait'),
              l10n.t('Workers'),
              l10n.t('Idle timeout'),
              'FlashBoot',
              l10n.t('Hardware'),
            ].map((text, index) => html`<th scope="col" class=${NUMBERS.includes(index) ? 'amount' : ''}>${text}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${rows.map(
            (row) =>
              html`<tr class=${row === chosen ? 'chosen' : ''}>
                <th scope="row">
                  <label>
                    <input type="radio" name="row" .checked=${row === chosen} @change=${() => choose(row.id)} />
                    ${row.scaling} ${row.isPresent ? html`<strong>${l10n.t('(present)')}</strong>` : nothing}
                  </label>
                </th>
                <td class="amount">${amountText(row.usd)}</td>
                <td class="amount">${row.wait}</td>
                ${cell(row.workers)} ${cell(row.idle)} ${cell(row.flashboot)} ${cell(row.hardware)}
              </tr>`,
          )}
        </tbody>
      </table>
    </div>
  `;
}

/** Columns with numbers, which end at the same place. */
const NUMBERS = [1, 2];
