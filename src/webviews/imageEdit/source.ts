import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { withElements } from '../language/language.ts';
import type { Actions } from './actions.ts';
import type { ImageEditSource } from './messages.ts';
import { isAffected, type Model } from './model.ts';
import { notice } from './notice.ts';
import { IMAGE, pictureText } from './words.ts';

/** Renders the image to edit, or the ways to choose one. */
export function sourceSection(model: Model, actions: Actions): TemplateResult {
  const { source, sourceFailure } = model.view;
  return html`
    <section aria-labelledby="source-heading">
      <h2 id="source-heading">${IMAGE}</h2>
      ${sourceFailure ? notice(sourceFailure, actions.send) : nothing}
      ${source ? chosen(source, model, actions) : chooser(model, actions)}
    </section>
  `;
}

/** What a source is, with the place of its name. */
const KINDS: Readonly<Record<ImageEditSource['kind'], string>> = {
  file: l10n.t('File {0}'),
  url: l10n.t('URL {0}'),
  result: l10n.t('Edited {0}'),
};

function chosen(source: ImageEditSource, model: Model, { send }: Actions): TemplateResult {
  const { pictures, view } = model;
  const { kind, name, picture, isLoading, failure } = source;
  const address = picture && pictures.get(picture.id);
  return html`
    <div class="source ${isAffected(model, 'image') ? 'affected' : ''}">
      ${address === undefined ? nothing : html`<img class="preview" src=${address} alt="" />`}
      <div class="text">
        <p class="name">${withElements(KINDS[kind], [name], (text) => html`<span class="dim">${text}</span>`)}</p>
        ${picture ? html`<p class="dim">${pictureText(picture)}</p>` : nothing}
        ${
          kind === 'url' && !picture
            ? html`<p class="dim">${l10n.t('Only the platform reads this address.')}</p>`
            : nothing
        }
        ${kind === 'file' && !view.acceptsFiles ? html`<p class="problem" id="source-problem">${FILE_REFUSED}</p>` : nothing}
        <div class="buttons">
          ${
            kind === 'file' || picture
              ? nothing
              : html`<vscode-button secondary ?disabled=${isLoading} @click=${() => send({ type: 'loadSource' })}>
                  ${isLoading ? l10n.t('Loading…') : l10n.t('Load Image')}
                </vscode-button>`
          }
          <vscode-button secondary @click=${() => send({ type: 'removeSource' })}
            >${l10n.t('Change Image…')}</vscode-button
          >
        </div>
      </div>
    </div>
    ${failure ? notice(failure, send, { label: l10n.t('Try Again'), run: () => send({ type: 'loadSource' }) }) : nothing}
  `;
}

const ONLY_ADDRESSES = l10n.t('This platform needs a public image URL.');
const FILE_REFUSED = l10n.t(
  'This platform needs a public image URL. Upload the file and use its URL, or connect to a local platform.',
);

function chooser({ address, view, isDropTarget }: Model, { send, setAddress }: Actions): TemplateResult {
  const submit = (event: Event) => {
    event.preventDefault();
    send({ type: 'sourceUrl', url: address });
  };
  return html`
    <div class="drop ${isDropTarget ? 'target' : ''}">
      ${
        view.acceptsFiles
          ? html`
              <p>${l10n.t('Drop or paste an image.')}</p>
              <vscode-button @click=${() => send({ type: 'chooseFile' })}>${l10n.t('Choose File…')}</vscode-button>
              <p class="dim">${l10n.t('Hold Shift to drop from the Explorer.')}</p>
            `
          : html`<p>${ONLY_ADDRESSES}</p>`
      }
    </div>
    <div class="field">
      <label for="address">${l10n.t('Image URL')}</label>
      <div class="joined">
        <input
          id="address"
          type="text"
          inputmode="url"
          spellcheck="false"
          placeholder="https://"
          .value=${address}
          @input=${(event: Event) => setAddress((event.target as HTMLInputElement).value)}
          @keydown=${(event: KeyboardEvent) => {
            if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) submit(event);
          }}
        />
        <vscode-button secondary ?disabled=${address.trim() === ''} @click=${submit}
          >${l10n.t('Use URL')}</vscode-button
        >
      </div>
    </div>
  `;
}
