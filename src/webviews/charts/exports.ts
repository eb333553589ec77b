import * as l10n from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';

/** Where an export went in the last 2 seconds. */
type Exported = 'file' | 'clipboard' | undefined;

type Export = { readonly type: 'export'; readonly format: 'csv' | 'json' } | { readonly type: 'copy' };

/** Renders the buttons that export the numbers of a page. @param more other buttons */
export function exportButtons(exported: Exported, send: (message: Export) => void, more: unknown): TemplateResult {
  const save = (format: 'csv' | 'json') => () => send({ type: 'export', format });
  return html`
    <div class="buttons exports" role="group" aria-label=${l10n.t('Export')}>
      <vscode-button secondary @click=${save('csv')}>${l10n.t('Export CSV…')}</vscode-button>
      <vscode-button secondary @click=${save('json')}>${l10n.t('Export JSON…')}</vscode-button>
      ${more}
      <vscode-button secondary @click=${() => send({ type: 'copy' })}
        >${exported === 'clipboard' ? l10n.t('Copied') : l10n.t('Copy as CSV')}</vscode-button
      >
    </div>
  `;
}

/** Renders what assistive technology announces after an export. */
export function exportStatus(exported: Exported): TemplateResult {
  return html`
    <div class="visually-hidden" role="status">
      ${exported === 'clipboard' ? l10n.t('Copied as CSV') : exported === 'file' ? l10n.t('Exported') : ''}
    </div>
  `;
}
