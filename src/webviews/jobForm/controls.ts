import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult, noChange } from 'lit';
import { live } from 'lit/directives/live.js';
import type { JobFormPath, JobFormSimpleControl, JobFormValue, JobFormPicture } from './messages.ts';
import { keyOf, textAt, usedControl, type Model, type Actions } from './model.ts';
import { Directive, directive, type ElementPart } from 'lit/directive.js';
import { language } from '../language/language.ts';

/** Renders the control of one value. */
export function controlFor(model: Model, actions: Actions, given: JobFormSimpleControl, place: Place): TemplateResult {
  const { path, id } = place;
  const value = model.values.get(keyOf(path));
  if (value?.large) return largeValue(actions, given, place, value);
  const control = usedControl(given, value);
  switch (control.kind) {
    case 'text':
      return textControl(model, actions, control, place);
    case 'number':
      return html`<input
        class="number"
        type="text"
        inputmode=${control.isInteger ? 'numeric' : 'decimal'}
        id=${id}
        ${described(place)}
        .value=${live(textAt(model, path, control))}
        @input=${onInput(actions, path, control)}
        @blur=${() => actions.leave(path)}
      />`;
    case 'flag':
      return html`<input
        type="checkbox"
        id=${id}
        ${described(place, { canBeRequired: false })}
        .checked=${live(value?.value === true)}
        @change=${(event: Event) => actions.change(path, (event.target as HTMLInputElement).checked)}
      />`;
    case 'choice':
      return choiceControl(model, actions, control, place);
    case 'file':
      return html`<span class="file">${fileButton(actions, place, id)}</span>`;
    case 'json':
      return html`<textarea
        class="code"
        id=${id}
        rows="3"
        spellcheck="false"
        ${described(place)}
        .value=${live(textAt(model, path, control))}
        @input=${onInput(actions, path, control)}
        @blur=${() => actions.leave(path)}
      ></textarea>`;
  }
}

function onInput(actions: Actions, path: JobFormPath, control: JobFormSimpleControl) {
  return (event: Event) => actions.type(path, (event.target as HTMLInputElement | HTMLTextAreaElement).value, control);
}

type TextControl = Extract<JobFormSimpleControl, { kind: 'text' }>;

function textControl(model: Model, actions: Actions, control: TextControl, place: Place): TemplateResult {
  const { path, id } = place;
  const text = textAt(model, path, control);
  const input =
    control.isMultiline || text.includes('\n')
      ? html`<textarea
          id=${id}
          rows="3"
          ${described(place)}
          .value=${live(text)}
          @input=${onInput(actions, path, control)}
          @blur=${() => actions.leave(path)}
        ></textarea>`
      : html`<input
          type=${control.isSecret ? 'password' : 'text'}
          autocomplete="off"
          id=${id}
          ${described(place)}
          .value=${live(text)}
          @input=${onInput(actions, path, control)}
          @blur=${() => actions.leave(path)}
        />`;
  if (control.file === undefined) return input;
  const { picture } = model.values.get(keyOf(path)) ?? {};
  return html`<span class="file"
    >${thumbnail(place, picture)} ${input} ${fileButton(actions, place, `${id}-file`)}</span
  >`;
}

/** @param id of the control, or of the button beside it */
function fileButton(actions: Actions, place: Place, id: string): TemplateResult {
  return html`<button
      type="button"
      class="framed"
      id=${id}
      aria-label=${l10n.t`Choose File… (${place.name ?? place.label})`}
      aria-describedby=${id === place.id ? place.describedBy || nothing : nothing}
      @click=${() => actions.chooseFile(place.path)}
    >
      ${l10n.t('Choose File…')}</button
    ><span class="dim">${l10n.t('or drop it with Shift')}</span>`;
}

function largeValue(
  actions: Actions,
  control: JobFormSimpleControl,
  place: Place,
  { large, picture }: JobFormValue,
): TemplateResult {
  const { path, id } = place;
  const takesFiles = control.kind === 'file' || (control.kind === 'text' && control.file !== undefined);
  return html`<span class="file">
    ${thumbnail(place, picture)}
    <span class="value">${large ? fileWords(large) : ''}</span>
    <button
      type="button"
      class="framed"
      id=${takesFiles ? `${id}-remove` : id}
      aria-label=${l10n.t`Remove ${place.name ?? place.label}`}
      @click=${() => actions.change(path, undefined, id)}
    >
      ${l10n.t('Remove')}
    </button>
    ${takesFiles ? fileButton(actions, place, id) : nothing}
  </span>`;
}

function thumbnail({ name, label }: Place, picture: string | undefined): TemplateResult | typeof nothing {
  const address = pictureAddress(picture);
  return address === undefined
    ? nothing
    : html`<img class="thumbnail" src=${address} alt=${l10n.t`Picture in ${name ?? label}`} />`;
}

type ChoiceControl = Extract<JobFormSimpleControl, { kind: 'choice' }>;

function choiceControl(model: Model, actions: Actions, { choices }: ChoiceControl, place: Place): TemplateResult {
  const { path, id } = place;
  const text = JSON.stringify(model.values.get(keyOf(path))?.value);
  const chosen = choices.findIndex(({ value }) => JSON.stringify(value) === text);
  const onChange = (event: Event) => {
    const index = Number((event.target as HTMLSelectElement).value);
    actions.change(path, index < 0 ? undefined : choices[index]?.value);
  };
  return html`<select id=${id} ${described(place)} @change=${onChange} @blur=${() => actions.leave(path)}>
    ${typeof path.at(-1) === 'number' ? nothing : html`<option value="-1" .selected=${chosen < 0}>${place.isRequired ? l10n.t('Choose…') : l10n.t('Not set')}</option>`}
    ${choices.map(({ label }, index) => html`<option value=${index} .selected=${index === chosen}>${label}</option>`)}
  </select>`;
}

/** What a control needs besides its value. */
interface Place {
  readonly path: JobFormPath;
  readonly id: string;
  readonly isRequired: boolean;
  readonly isInvalid: boolean;
  /** IDs of the elements that describe the control. */
  readonly describedBy: string;
  readonly label: string;
  /** Name of a control without a visible label, such as an item of a list. */
  readonly name?: string;
}

/** Sets the attributes that tell a screen reader about a control. */
class Described extends Directive {
  override render(_place: Place, _options?: { readonly canBeRequired: boolean }): unknown {
    return noChange;
  }

  override update({ element }: ElementPart, [place, options]: Parameters<this['render']>): unknown {
    const attributes = {
      'aria-label': place.name,
      'aria-describedby': place.describedBy || undefined,
      'aria-required': options?.canBeRequired === false ? undefined : String(place.isRequired),
      'aria-invalid': String(place.isInvalid),
    };
    for (const [name, value] of Object.entries(attributes)) {
      if (value === undefined) element.removeAttribute(name);
      else element.setAttribute(name, value);
    }
    return noChange;
  }
}

const described = directive(Described);

const decimal = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });

/** Describes a file in a value, such as `image/png, 1.2 MB`. */
function fileWords({ bytes, mediaType }: NonNullable<JobFormValue['large']>): string {
  const size =
    bytes < 1_024
      ? l10n.t`${bytes} B`
      : bytes < 1_048_576
        ? l10n.t`${decimal.format(bytes / 1_024)} KB`
        : l10n.t`${decimal.format(bytes / 1_048_576)} MB`;
  return mediaType === undefined ? size : `${mediaType}, ${size}`;
}

/** Addresses of the pictures of this page by their IDs. They last as long as the page. */
const addresses = new Map<string, string>();

export function keepPicture({ id, mediaType, bytes }: JobFormPicture): void {
  if (!addresses.has(id))
    addresses.set(id, URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: mediaType })));
}

/** Returns the address of a picture. */
function pictureAddress(id: string | undefined): string | undefined {
  return id === undefined ? undefined : addresses.get(id);
}
