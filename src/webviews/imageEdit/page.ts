import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { Actions } from './actions.ts';
import { controls } from './controls.ts';
import { historySection } from './history.ts';
import type { ImageEditView } from './messages.ts';
import type { Model } from './model.ts';
import { resultSection } from './result.ts';
import { sourceSection } from './source.ts';
import { finishedText, PHASES } from './words.ts';

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
