import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { Actions } from './actions.ts';
import { blockerOf, type Model } from './model.ts';
import { notice } from './notice.ts';
import { dollars, elapsedText, PHASES } from './words.ts';

/** Renders the button that starts the edit, or the progress of the running one, and why the last one failed. */
export function start(model: Model, { run, send }: Actions): TemplateResult {
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
      <div class="buttons">
        <vscode-button ?disabled=${blocker !== undefined} title=${l10n.t`Edit Image (${MODIFIER}+Enter)`} @click=${run}
          >${l10n.t('Edit Image')}</vscode-button
        >
        <span class="dim">
          ${isLocal ? l10n.t`${dollars(price)} per image, not billed` : l10n.t`${dollars(price)} per image`}
        </span>
      </div>
      ${failure ? notice(failure, send, { label: l10n.t('Try Again'), run }) : nothing}
      ${blocker === undefined ? nothing : html`<p class="dim hint">${blocker}</p>`}
    </div>
  `;
}

const MODIFIER = navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl';
