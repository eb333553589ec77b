import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { controls } from './controls.ts';
import type { ImageEditView, ImageEditHistoryEntry } from './messages.ts';
import type { Actions } from './actions.ts';
import type { Model } from './model.ts';
import { resultSection } from './result.ts';
import { sourceSection } from './source.ts';
import { finishedText, PHASES, momentText } from './words.ts';

/** Renders the page. */
export function page(model: Model, actions: Actions): TemplateResult {
  const { view } = model;
  return html`
    <main>
      <h1>
        ${l10n.t('Edit Image')}
        ${view.connection === undefined ? nothing : html`<span class="dim">${view.connection}</span>`}
      </h1>
      <div class="columns">
        <div class="settings">${sourceSection(model, actions)} ${controls(model, actions)}</div>
        ${resultSection(model, actions)}
      </div>
      ${historySection(model, actions)}
      <div class="visually-hidden" role="status">${statusText(view)}</div>
    </main>
  `;
}

/** Returns what assistive technology announces. Without the elapsed time, which changes each second. */
function statusText({ run, result, failure }: ImageEditView): string {
  if (run) return PHASES[run.phase];
  return result?.after && !failure ? finishedText(result) : '';
}

/** Renders the stored edits, newest first. */
function historySection({ view, pictures }: Model, actions: Actions): TemplateResult {
  const { history } = view;
  if (history.length === 0) return html``;
  return html`
    <section aria-labelledby="history-heading">
      <h2 id="history-heading">${l10n.t('Recent Edits')}</h2>
      <ul class="history">
        ${history.map((each) => entry(each, each.thumbnail === undefined ? undefined : pictures.get(each.thumbnail), actions))}
      </ul>
    </section>
  `;
}

function entry(
  { id, time, prompt, source }: ImageEditHistoryEntry,
  thumbnail: string | undefined,
  { send }: Actions,
): TemplateResult {
  const when = new Date(time);
  const moment = momentText(when);
  return html`
    <li>
      <button type="button" class="entry" title=${prompt} @click=${() => send({ type: 'openEdit', id })}>
        ${thumbnail === undefined ? nothing : html`<img src=${thumbnail} alt="" />`}
        <span class="prompt">${prompt}</span>
        <span class="dim">${source}</span>
        <time class="dim" datetime=${when.toISOString()}>${moment}</time>
      </button>
      <button
        type="button"
        class="remove"
        title=${l10n.t('Remove')}
        aria-label=${l10n.t`Remove the edit “${prompt}” of ${moment}`}
        @click=${() => send({ type: 'removeEdit', id })}
      >
        ✕
      </button>
    </li>
  `;
}
