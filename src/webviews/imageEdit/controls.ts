import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import type { Actions } from './actions.ts';
import type { ImageEditField, ImageEditForm } from './messages.ts';
import { withSuggestion, type Model } from './model.ts';

/** Number of suggestions that are always visible. */
const CHIPS = 8;

/** Renders the parameters of the edit. */
export function controls(model: Model, actions: Actions): TemplateResult {
  return html`
    <section aria-labelledby="edit-heading">
      <h2 id="edit-heading">Edit</h2>
      ${promptField(model, actions)} ${suggestions(model, actions)} ${negativeField(model, actions)}
      <div class="options">
        ${seedField(model, actions)} ${formatField(model.form, actions)} ${safetyField(model, actions)}
      </div>
    </section>
  `;
}

/** Returns whether the last failure refers to a field. */
function isAffected({ view }: Model, field: ImageEditField): boolean {
  return view.failure?.fields.includes(field) ?? false;
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
      <span id="${field}-count" class="count ${isTooLong ? 'problem' : 'dim'}">
        ${text.length.toLocaleString('en-US')} of ${setup.maxPrompt.toLocaleString('en-US')}
        characters${isTooLong ? ': too long' : ''}
      </span>
    </div>
  `;
}

const promptField = (model: Model, actions: Actions) =>
  textField(model, actions, 'prompt', 'Prompt', 'Describe the edit, such as: make it black and white', 3);

const negativeField = (model: Model, actions: Actions) =>
  textField(model, actions, 'negativePrompt', 'Negative prompt', 'What the edit must not do (optional)', 1);

function suggestions({ form, setup, view }: Model, { setForm }: Actions): TemplateResult {
  const add = (prompt: string) => () => setForm({ prompt: withSuggestion(form.prompt, prompt) });
  const name = view.isLocal ? 'Suggestions' : 'Examples';
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
      <summary>All ${name.toLowerCase()}</summary>
      <p class="dim">
        ${
          view.isLocal
            ? 'The local model understands these instructions. A prompt can combine several.'
            : 'Hosted models understand free text. The local model understands these instructions.'
        }
      </p>
      <ul class="suggestions">
        ${setup.suggestions.map(
          ({ label, prompt, takes }) => html`
            <li>
              <button type="button" class="link" aria-label="Add ${label}: ${prompt}" @click=${add(prompt)}>
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
  const isInvalid = seedMode === 'fixed' && !/^\s*-?\d{1,15}\s*$/.test(seed);
  return html`
    <fieldset>
      <legend>Seed</legend>
      ${radio('seed', 'Random', seedMode === 'random', () => setForm({ seedMode: 'random' }))}
      <span class="joined">
        ${radio('seed', 'Number', seedMode === 'fixed', () => setForm({ seedMode: 'fixed' }))}
        <input
          id="seed-number"
          class="seed"
          type="text"
          inputmode="numeric"
          aria-label="Seed"
          aria-invalid=${isInvalid}
          ?disabled=${seedMode === 'random'}
          .value=${live(seed)}
          @input=${(event: Event) => setForm({ seed: (event.target as HTMLInputElement).value })}
        />
      </span>
      ${
        last === undefined
          ? nothing
          : html`<button
              type="button"
              class="link"
              title="Use the seed of the last edit: ${last}"
              @click=${() => setForm({ seedMode: 'fixed', seed: String(last) })}
            >
              Same Again
            </button>`
      }
      <p class="dim hint">
        The editor chooses a random seed itself, because the service does not report the one that it chooses.
      </p>
    </fieldset>
  `;
}

function formatField({ format }: ImageEditForm, { setForm }: Actions): TemplateResult {
  return html`
    <fieldset>
      <legend>Format</legend>
      ${radio('format', 'PNG', format === 'png', () => setForm({ format: 'png' }))}
      ${radio('format', 'JPEG', format === 'jpeg', () => setForm({ format: 'jpeg' }))}
    </fieldset>
  `;
}

function safetyField({ form }: Model, { setForm }: Actions): TemplateResult {
  return html`
    <fieldset>
      <legend>Safety</legend>
      <label class="option">
        <input
          type="checkbox"
          .checked=${live(form.safetyChecker)}
          @change=${(event: Event) => setForm({ safetyChecker: (event.target as HTMLInputElement).checked })}
        />
        Safety checker
      </label>
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
