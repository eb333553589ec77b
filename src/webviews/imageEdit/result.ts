import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { Actions } from './actions.ts';
import { comparison } from './compare.ts';
import type { ImageEditResult } from './messages.ts';
import type { Model } from './model.ts';
import { notice } from './notice.ts';
import { costText, durationText, expiryText } from './words.ts';

/** Renders the edited image next to its source, or the source alone before the first edit. */
export function resultSection(model: Model, actions: Actions): TemplateResult {
  const { result, source, run } = model.view;
  return html`
    <section class="result" aria-labelledby="result-heading" aria-busy=${run !== undefined}>
      <h2 id="result-heading">${result || !source ? l10n.t('Result') : l10n.t('Original')}</h2>
      ${result?.isEarlier ? earlier(result, model, actions) : result ? finished(result, model, actions) : waiting(model, actions)}
    </section>
  `;
}

function waiting(model: Model, actions: Actions): TemplateResult {
  const picture = model.view.source?.picture;
  if (picture) return comparison({ before: picture, after: undefined }, model, actions);
  return html`<p class="empty dim">${l10n.t('The result appears here.')}</p>`;
}

/** Renders the result of an earlier edit, which the user can open. */
function earlier(result: ImageEditResult, model: Model, actions: Actions): TemplateResult {
  return html`
    <p class="empty dim">${l10n.t('The last edit failed.')}</p>
    <details class="all">
      <summary>${l10n.t('Earlier result')}</summary>
      <div class="result">${finished(result, model, actions)}</div>
    </details>
  `;
}

function finished(result: ImageEditResult, model: Model, actions: Actions): TemplateResult {
  const { send } = actions;
  const { before, after, failure } = result;
  return html`
    ${failure ? notice(failure, send, { label: l10n.t('Load Again'), run: () => send({ type: 'loadResult' }) }) : nothing}
    ${after ? comparison({ before, after, withoutBefore: unread(model, actions) }, model, actions) : nothing}
    <div class="buttons">
      <vscode-button ?disabled=${!after} @click=${() => send({ type: 'save' })}
        >${l10n.t('Save to Workspace')}</vscode-button
      >
      <vscode-button secondary @click=${() => send({ type: 'editAgain' })}>${l10n.t('Edit Again')}</vscode-button>
      <vscode-button secondary ?disabled=${!after} @click=${() => send({ type: 'openResult' })}
        >${l10n.t('Open in Editor')}</vscode-button
      >
      <vscode-button secondary @click=${() => send({ type: 'copy', what: 'url' })}
        >${l10n.t('Copy Image URL')}</vscode-button
      >
    </div>
    ${facts(result, model, actions)}
  `;
}

/** Renders the place of a source that the editor has not read. */
function unread({ view }: Model, { send }: Actions): TemplateResult {
  const { source, result } = view;
  const canLoad = source !== undefined && source.name === result?.source && source.kind !== 'file';
  return html`
    <figure>
      <figcaption><span>${l10n.t('Before')}</span></figcaption>
      <div class="stage unread">
        <div>
          <p>${canLoad ? l10n.t('Not loaded') : l10n.t('Not available')}</p>
          ${
            canLoad
              ? html`<vscode-button
                  secondary
                  ?disabled=${source.isLoading}
                  @click=${() => send({ type: 'loadSource' })}
                >
                  ${source.isLoading ? l10n.t('Loading…') : l10n.t('Load Image')}
                </vscode-button>`
              : nothing
          }
        </div>
      </div>
    </figure>
  `;
}

function facts(result: ImageEditResult, { view, now }: Model, { send }: Actions): TemplateResult {
  const { cost, delayTime, executionTime, workerId, id, seed, expiresAt, savedAs, prompt, source } = result;
  const rows: readonly (readonly [string, TemplateResult | string | undefined])[] = [
    [l10n.t('Saved as'), savedAs],
    [l10n.t('Source'), source],
    [l10n.t('Prompt'), prompt],
    [l10n.t('Seed'), seed === undefined ? undefined : String(seed)],
    [l10n.t('Cost'), cost === undefined ? undefined : costText(cost, view.isLocal)],
    [l10n.t('Time in queue'), delayTime === undefined ? undefined : durationText(delayTime)],
    [l10n.t('Run time'), executionTime === undefined ? undefined : durationText(executionTime)],
    [l10n.t('Worker'), workerId],
    [
      l10n.t('Request ID'),
      html`<code>${id}</code>
        <button
          type="button"
          class="link"
          aria-label=${l10n.t('Copy Request ID')}
          @click=${() => send({ type: 'copy', what: 'requestId' })}
        >
          ${l10n.t('Copy')}
        </button>`,
    ],
    [l10n.t('Image URL'), expiryText(expiresAt, now)],
  ];
  return html`
    <dl>
      ${rows.map(([name, value]) =>
        value === undefined
          ? nothing
          : html`<div>
              <dt>${name}</dt>
              <dd>${value}</dd>
            </div>`,
      )}
    </dl>
  `;
}
