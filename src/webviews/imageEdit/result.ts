import { html, nothing, type TemplateResult } from 'lit';
import type { Actions } from './actions.ts';
import { comparison } from './compare.ts';
import type { ImageEditResult } from './messages.ts';
import type { Model } from './model.ts';
import { notice } from './notice.ts';
import { dollars, durationText, expiryText } from './words.ts';

/** Renders the edited image next to its source, or the source alone before the first edit. */
export function resultSection(model: Model, actions: Actions): TemplateResult {
  const { result, source, run } = model.view;
  return html`
    <section class="result" aria-labelledby="result-heading" aria-busy=${run !== undefined}>
      <h2 id="result-heading">${result || !source ? 'Result' : 'Original'}</h2>
      ${result ? finished(result, model, actions) : waiting(model, actions)}
    </section>
  `;
}

function waiting(model: Model, actions: Actions): TemplateResult {
  const picture = model.view.source?.picture;
  if (picture) return comparison({ before: picture, after: undefined }, model, actions);
  return html`<p class="empty dim">The edited image appears here, next to the original.</p>`;
}

function finished(result: ImageEditResult, model: Model, actions: Actions): TemplateResult {
  const { send } = actions;
  const { before, after, failure } = result;
  return html`
    ${failure ? notice(failure, send, { label: 'Load Again', run: () => send({ type: 'loadResult' }) }) : nothing}
    ${after ? comparison({ before, after, withoutBefore: unread(model, actions) }, model, actions) : nothing}
    <div class="buttons">
      <vscode-button ?disabled=${!after} @click=${() => send({ type: 'save' })}>Save to Workspace</vscode-button>
      <vscode-button secondary @click=${() => send({ type: 'editAgain' })}>Edit Again</vscode-button>
      <vscode-button secondary ?disabled=${!after} @click=${() => send({ type: 'openResult' })}
        >Open in Editor</vscode-button
      >
      <vscode-button secondary @click=${() => send({ type: 'copy', what: 'url' })}>Copy Image URL</vscode-button>
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
      <figcaption><span>Before</span></figcaption>
      <div class="stage unread">
        <div>
          <p>
            ${canLoad ? 'The editor has not read the image at this address.' : 'The original image is not available.'}
          </p>
          ${
            canLoad
              ? html`<vscode-button
                  secondary
                  ?disabled=${source.isLoading}
                  @click=${() => send({ type: 'loadSource' })}
                >
                  ${source.isLoading ? 'Loading…' : 'Load for Comparison'}
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
    ['Saved as', savedAs],
    ['Source', source],
    ['Prompt', prompt],
    ['Seed', seed === undefined ? undefined : String(seed)],
    ['Cost', cost === undefined ? undefined : `${dollars(cost)}${view.isLocal ? ', metered and not billed' : ''}`],
    ['Time in queue', delayTime === undefined ? undefined : durationText(delayTime)],
    ['Run time', executionTime === undefined ? undefined : durationText(executionTime)],
    ['Worker', workerId],
    [
      'Request ID',
      html`<code>${id}</code>
        <button type="button" class="link" @click=${() => send({ type: 'copy', what: 'requestId' })}>
          Copy Request ID
        </button>`,
    ],
    ['Image URL', expiryText(expiresAt, now)],
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
