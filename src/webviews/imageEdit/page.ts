import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { Actions } from './actions.ts';
import { controls } from './controls.ts';
import { historySection } from './history.ts';
import type { ImageEditView } from './messages.ts';
import { blockerOf, type Model } from './model.ts';
import { notice } from './notice.ts';
import { resultSection } from './result.ts';
import { sourceSection } from './source.ts';
import { dollars, elapsedText, finishedText, PHASES } from './words.ts';

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
        <div class="settings">
          ${sourceSection(model, actions)} ${controls(model, actions)} ${start(model, actions)}
        </div>
        ${resultSection(model, actions)}
      </div>
      ${historySection(model, actions)}
      <div class="visually-hidden" role="status">${statusText(view)}</div>
    </main>
  `;
}

/** Renders the button that starts the edit, or the progress of the running one. */
function start(model: Model, { run, send }: Actions): TemplateResult {
  const { view, now } = model;
  const { failure, run: running, isLocal, price } = view;
  const blocker = blockerOf(model);
  if (running) {
    return html`
      <div class="start">
        <div class="progress"></div>
        <div class="buttons">
          <span class="phase"
            >${PHASES[running.phase]} <span class="dim">${elapsedText(now - running.since)}</span></span
          >
          <vscode-button
            secondary
            title=${l10n.t('Cancel (Escape)')}
            ?disabled=${running.phase === 'canceling'}
            @click=${() => send({ type: 'cancel' })}
            >${l10n.t('Cancel')}</vscode-button
          >
        </div>
      </div>
    `;
  }
  return html`
    <div class="start">
      ${failure ? notice(failure, send, { label: l10n.t('Try Again'), run }) : nothing}
      <div class="buttons">
        <vscode-button ?disabled=${blocker !== undefined} title=${l10n.t`Edit Image (${MODIFIER}+Enter)`} @click=${run}
          >${l10n.t('Edit Image')}</vscode-button
        >
        <span class="dim">
          ${isLocal ? l10n.t`Metered at ${dollars(price)} per image, not billed.` : l10n.t`Costs ${dollars(price)} per image.`}
        </span>
      </div>
      ${blocker === undefined ? nothing : html`<p class="dim hint">${blocker}</p>`}
    </div>
  `;
}

const MODIFIER = navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl';

/** Returns what assistive technology announces. Without the elapsed time, which changes each second. */
function statusText({ run, result, failure }: ImageEditView): string {
  if (run) return PHASES[run.phase];
  return result?.after && !failure ? finishedText(result) : '';
}
