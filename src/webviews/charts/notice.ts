import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';

export interface FailureNotice {
  readonly message: string;
  /** Whether another request can succeed. */
  readonly retry: boolean;
  /** Whether earlier data is visible. */
  readonly hasData: boolean;
  /** Label of the button for another remedy. */
  readonly remedyLabel: string | undefined;
}

export interface NoticeActions {
  readonly refresh: () => void;
  readonly act: () => void;
}

/** Renders a failure with its remedies. */
export function failureNotice(
  { message, retry, hasData, remedyLabel }: FailureNotice,
  { refresh, act }: NoticeActions,
): TemplateResult {
  return html`
    <div class="notice ${retry ? 'failure' : ''}" role="alert">
      <p>${hasData ? l10n.t`${message} The data below may be out of date.` : message}</p>
      <div class="buttons">
        ${remedyLabel === undefined ? nothing : html`<vscode-button @click=${act}>${remedyLabel}</vscode-button>`}
        ${retry ? html`<vscode-button secondary @click=${refresh}>${l10n.t('Try Again')}</vscode-button>` : nothing}
      </div>
    </div>
  `;
}
