import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { Actions } from './actions.ts';
import type { ImageEditForm } from './messages.ts';
import { isAffected, isSeed, withSuggestion, type Model, blockerOf } from './model.ts';
import { lengthText, dollars, elapsedText, PHASES } from './words.ts';
import { notice } from './notice.ts';

/** Number of suggestions that are always visible. */
const CHIPS = 8;

/** Choice that omits a parameter from the request. */
const SERVICE_DEFAULT = l10n.t('Default');

/** Renders the parameters of the edit. */
export function controls(model: Model, actions: Actions): TemplateResult {
  return html`
    <section aria-labelledby="edit-heading">
      <h2 id="edit-heading" class="visually-hidden">${l10n.t('Edit')}</h2>
      ${promptField(model, actions)} ${start(model, actions)} ${suggestions(model, actions)}
      ${negativeField(model, actions)}
      <div class="options">
        ${seedField(model, actions)} ${formatField(model.form, actions)} ${safetyField(model, actions)}
      </div>
    </section>
  `;
}

/** Shows the count of characters near the limit only. Screen readers always have it. */
function countClass(share: number): string {
  if (share > 1) return 'count problem';
  return share > 0.9 ? 'count dim' : 'visually-hidden';
}

function textField(
  model: Model,
  { setForm }: Actions,
  field: 'prompt' | 'negativePrompt',
  label: string,
  placeholder: string,
  rows: number,
): TemplateResult {
  const { form, setup } = model;
  const text = form[field];
  const isTooLong = text.length > setup.maxPrompt;
  return html`
    <div class="field">
      <label for=${field}>${label}</label>
      <textarea
        id=${field}
        rows=${rows}
        placeholder=${placeholder}
        aria-describedby="${field}-count"
        aria-invalid=${isTooLong || isAffected(model, field)}
        .value=${live(text)}
        @input=${(event: Event) => setForm({ [field]: (event.target as HTMLTextAreaElement).value })}
      ></textarea>
      <span id="${field}-count" class=${countClass(text.length / setup.maxPrompt)}>
        ${lengthText(text.length, setup.maxPrompt)}
      </span>
    </div>
  `;
}

const promptField = (model: Model, actions: Actions) =>
  textField(model, actions, 'prompt', l10n.t('Prompt'), l10n.t('Example: make it black and white'), 3);

const negativeField = (model: Model, actions: Actions) =>
  textField(model, actions, 'negativePrompt', l10n.t('Negative prompt'), l10n.t('What to avoid (optional)'), 1);

function suggestions({ form, setup, view }: Model, { setForm }: Actions): TemplateResult {
  const add = (prompt: string) => () => setForm({ prompt: withSuggestion(form.prompt, prompt) });
  const name = view.isLocal ? l10n.t('Suggestions') : l10n.t('Examples');
  return html`
    <div class="chips" role="group" aria-label=${name}>
      ${setup.suggestions
        .slice(0, CHIPS)
        .map(
          ({ label, prompt }) =>
            html`<button type="button" class="chip" title=${prompt} @click=${add(prompt)}>${label}</button>`,
        )}
    </div>
    <details class="all">
      <summary>${view.isLocal ? l10n.t('All suggestions') : l10n.t('All examples')}</summary>
      <p class="dim">
        ${view.isLocal ? l10n.t('A prompt can combine several.') : l10n.t('Hosted models understand free text.')}
      </p>
      <ul class="suggestions">
        ${setup.suggestions.map(
          ({ label, prompt, takes }) => html`
            <li>
              <button type="button" class="link" aria-label=${l10n.t`Add ${label}: ${prompt}`} @click=${add(prompt)}>
                ${prompt}
              </button>
              <span class="dim">${takes}</span>
            </li>
          `,
        )}
      </ul>
    </details>
  `;
}

function seedField(model: Model, { setForm }: Actions): TemplateResult {
  const { form, view } = model;
  const { seedMode, seed } = form;
  const last = view.result?.seed;
  const isInvalid = seedMode === 'fixed' && !isSeed(seed);
  return html`
    <fieldset>
      <legend>${l10n.t('Seed')}</legend>
      ${radio('seed', l10n.t('Random'), seedMode === 'random', () => setForm({ seedMode: 'random' }))}
      <span class="joined">
        ${radio('seed', l10n.t({ message: 'Number', comment: 'A chosen value' }), seedMode === 'fixed', () => setForm({ seedMode: 'fixed' }))}
        <input
          id="seed-number"
          class="seed"
          type="text"
          inputmode="numeric"
          aria-label=${l10n.t('Seed')}
          aria-invalid=${isInvalid}
          ?disabled=${seedMode !== 'fixed'}
          .value=${live(seed)}
          @input=${(event: Event) => setForm({ seed: (event.target as HTMLInputElement).value })}
        />
      </span>
      ${radio('seed', SERVICE_DEFAULT, seedMode === 'service', () => setForm({ seedMode: 'service' }))}
      ${
        last === undefined
          ? nothing
          : html`<button
              type="button"
              class="link"
              title=${l10n.t`Last seed: ${last}`}
              @click=${() => setForm({ seedMode: 'fixed', seed: String(last) })}
            >
              ${l10n.t('Last Seed')}
            </button>`
      }
    </fieldset>
  `;
}

function formatField({ format }: ImageEditForm, { setForm }: Actions): TemplateResult {
  return html`
    <fieldset>
      <legend>${l10n.t('Format')}</legend>
      ${radio('format', 'PNG', format === 'png', () => setForm({ format: 'png' }))}
      ${radio('format', 'JPEG', format === 'jpeg', () => setForm({ format: 'jpeg' }))}
      ${radio('format', SERVICE_DEFAULT, format === undefined, () => setForm({ format: undefined }))}
    </fieldset>
  `;
}

function safetyField(model: Model, { setForm }: Actions): TemplateResult {
  const { safetyChecker } = model.form;
  return html`
    <fieldset class=${isAffected(model, 'safetyChecker') ? 'affected' : nothing}>
      <legend>${l10n.t('Safety checker')}</legend>
      ${radio('safety', l10n.t('On'), safetyChecker === true, () => setForm({ safetyChecker: true }))}
      ${radio('safety', l10n.t('Off'), safetyChecker === false, () => setForm({ safetyChecker: false }))}
      ${radio('safety', SERVICE_DEFAULT, safetyChecker === undefined, () => setForm({ safetyChecker: undefined }))}
    </fieldset>
  `;
}

function radio(name: string, label: string, isChecked: boolean, onChange: () => void): TemplateResult {
  return html`
    <label class="option">
      <input type="radio" name=${name} .checked=${live(isChecked)} @change=${onChange} />${label}
    </label>
  `;
}

/** Renders the button that starts the edit, or the progress of the running one, and why the last one failed. */
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
