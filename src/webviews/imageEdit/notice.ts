import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { withElements } from '../language/language.ts';
import type { ImageEditField, ImageEditFailure, ImageEditToHost } from './messages.ts';
import { IMAGE } from './words.ts';

const FIELDS: Readonly<Record<ImageEditField, string>> = {
  image: IMAGE,
  prompt: l10n.t('Prompt'),
  negativePrompt: l10n.t('Negative prompt'),
  seed: l10n.t('Seed'),
  safetyChecker: l10n.t('Safety checker'),
};

/**
 * Renders a failure with its advice, the fields to change, and its buttons.
 *
 * @param again label and message of the button that tries again
 */
export function notice(
  { message, advice, fields, retry, remedy, jobId }: ImageEditFailure,
  send: (message: ImageEditToHost) => void,
  again?: { readonly label: string; readonly run: () => void },
): TemplateResult {
  return html`
    <div class="notice" role="alert">
      <div class="text">
        <p>${message}</p>
        ${advice.map((line) => html`<p>${line}</p>`)}
        ${
          fields.length === 0
            ? nothing
            : html`<p class="dim">${l10n.t`To change: ${fields.map((field) => FIELDS[field]).join(l10n.t(', '))}`}</p>`
        }
        ${jobId === undefined ? nothing : html`<p class="dim">${withElements(l10n.t('Job {0}'), [html`<code>${jobId}</code>`])}</p>`}
      </div>
      <div class="buttons">
        ${
          remedy
            ? html`<vscode-button @click=${() => send({ type: 'act', action: remedy.action })}
                >${remedy.label}</vscode-button
              >`
            : nothing
        }
        ${retry && again ? html`<vscode-button secondary @click=${again.run}>${again.label}</vscode-button>` : nothing}
      </div>
    </div>
  `;
}
