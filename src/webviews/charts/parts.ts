import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';

interface Failure<Action> {
  readonly message: string;
  /** Whether another request can succeed. */
  readonly retry: boolean;
  /** Another remedy. */
  readonly remedy?: { readonly label: string; readonly action: Action } | undefined;
}

type Remedies<Action> = { readonly type: 'refresh' } | { readonly type: 'act'; readonly action: Action };

/** Renders a failure with its remedies. @param hasData whether earlier data is visible */
export function failureNotice<Action>(
  { message, retry, remedy }: Failure<Action>,
  hasData: boolean,
  send: (message: Remedies<Action>) => void,
): TemplateResult {
  return html`
    <div class="notice ${retry ? 'failure' : ''}" role="alert">
      <p>${hasData ? l10n.t`${message} The data below may be out of date.` : message}</p>
      <div class="buttons">
        ${
          remedy
            ? html`<vscode-button @click=${() => send({ type: 'act', action: remedy.action })}
                >${remedy.label}</vscode-button
              >`
            : nothing
        }
        ${
          retry
            ? html`<vscode-button secondary @click=${() => send({ type: 'refresh' })}
                >${l10n.t('Try Again')}</vscode-button
              >`
            : nothing
        }
      </div>
    </div>
  `;
}

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

/** Renders a list of values with a label. @param names text of each value, in the order of the list */
export function choice<Value extends string>(
  label: string,
  names: Readonly<Record<string, string>>,
  value: Value,
  onChange: (value: Value) => void,
): TemplateResult {
  const change = (event: Event) => {
    const chosen = (event.target as HTMLElement & { value: string }).value;
    if (chosen in names) onChange(chosen as Value);
  };
  return html`
    <div class="field">
      <span class="label" aria-hidden="true">${label}</span>
      <vscode-single-select label=${label} .value=${value} @change=${change}>
        ${Object.entries(names).map(
          ([name, text]) => html`<vscode-option value=${name} ?selected=${name === value}>${text}</vscode-option>`,
        )}
      </vscode-single-select>
    </div>
  `;
}
