import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { fields } from './fields.ts';
import { otherProblems, type Model, type Actions } from './model.ts';

/** Renders the page. */
export function page(model: Model, actions: Actions): TemplateResult {
  const { endpoint, connection, source, file, blocked } = model.view;
  return html`<main>
    <h1>
      ${l10n.t`Run ${endpoint}`} ${connection === undefined ? nothing : html`<span class="dim">${connection}</span>`}
    </h1>
    <p class="dim hint">
      ${source === '' ? nothing : l10n.t`The schema is in ${source}.`}
      ${file === undefined ? nothing : l10n.t`This form edits ${file}.`}
    </p>
    ${
      blocked === undefined
        ? html`<div class="fields">${fields(model, actions)}</div>
            ${start(model, actions)}`
        : html`<div class="notice" role="alert">
            <p>${blocked}</p>
            <vscode-button secondary @click=${actions.editAsJson}>${l10n.t('Edit as JSON')}</vscode-button>
          </div>`
    }
  </main>`;
}

function start(model: Model, { run, editAsJson }: Actions): TemplateResult {
  const others = otherProblems(model);
  const { refusals, problems } = model.view;
  return html`<div class="start">
    ${
      others.length === 0
        ? nothing
        : html`<ul class="problem" aria-label=${l10n.t('Problems of the input')}>
            ${others.map((text) => html`<li>${text}</li>`)}
          </ul>`
    }
    ${
      refusals > 0 && problems.length > 0
        ? html`<div class="notice" role="alert">
            <p>
              ${problems.length === 1 ? l10n.t('1 value has a problem.') : l10n.t`${problems.length} values have problems.`}
            </p>
            <vscode-button secondary @click=${() => run('run', true)}>${l10n.t('Run Anyway')}</vscode-button>
          </div>`
        : nothing
    }
    <div class="buttons">
      <vscode-button title=${l10n.t`Run (${MODIFIER}+Enter)`} @click=${() => run('run')}
        >${l10n.t('Run')}</vscode-button
      >
      <vscode-button secondary @click=${() => run('runSync')}>${l10n.t('Run and Wait')}</vscode-button>
      <vscode-button secondary @click=${editAsJson}>${l10n.t('Edit as JSON')}</vscode-button>
    </div>
  </div>`;
}

const MODIFIER = navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl';
