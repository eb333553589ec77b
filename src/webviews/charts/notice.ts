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
