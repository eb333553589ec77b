import * as l10n from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { controlFor } from './controls.ts';
import type { JobFormField, JobFormMember, JobFormPath, JobFormSimpleControl } from './messages.ts';
import { keyOf, newItem, problemAt, usedControl, type Model, type Actions } from './model.ts';

/** Renders the fields of the form. */
export function fields(model: Model, actions: Actions): TemplateResult {
  return html`${repeat(
    model.view.fields,
    ({ name }) => name,
    (field, index) => fieldOf(model, actions, field, `field-${index}`),
  )}`;
}

function fieldOf(model: Model, actions: Actions, field: JobFormField, id: string): TemplateResult {
  const { control, name } = field;
  const path = [name];
  const value = model.values.get(keyOf(path));
  if (control.kind !== 'group') return memberOf(model, actions, { ...field, control }, path, id);
  if (value?.isJson === true || value?.large)
    return memberOf(model, actions, { ...field, control: { kind: 'json' } }, path, id);
  const problem = problemAt(model, path);
  return html`<fieldset aria-describedby=${notes(field, problem, id) || nothing}>
    <legend>${labelOf(field)}</legend>
    ${notesOf(field, problem, id)}
    ${control.members.map((member, index) => memberOf(model, actions, member, [name, member.name], `${id}-${index}`))}
  </fieldset>`;
}

function memberOf(
  model: Model,
  actions: Actions,
  member: JobFormMember,
  path: JobFormPath,
  id: string,
): TemplateResult {
  const { control, isRequired } = member;
  const value = model.values.get(keyOf(path));
  if (control.kind === 'list' && value?.isJson !== true && !value?.large)
    return listOf(model, actions, { ...member, control }, path, id);
  const simple: JobFormSimpleControl = control.kind === 'list' ? { kind: 'json' } : control;
  const problem = problemAt(model, path, usedControl(simple, value));
  const place = {
    path,
    id,
    isRequired,
    label: member.label,
    isInvalid: problem !== undefined,
    describedBy: notes(member, problem, id),
  };
  const label = html`<label for=${id}>${labelOf(member)}</label>`;
  const input = controlFor(model, actions, simple, place);
  const isFlag = simple.kind === 'flag' && value?.isJson !== true;
  return html`<div class="field" data-path=${dropPath(simple, path)}>
    ${isFlag ? html`<span class="option">${input} ${label}</span>` : html`${label} ${input}`}
    ${notesOf(member, problem, id)}
  </div>`;
}

/** The path of a value that takes dropped files. */
function dropPath(control: JobFormSimpleControl, path: JobFormPath): string | typeof nothing {
  const takesFiles = control.kind === 'file' || (control.kind === 'text' && control.file !== undefined);
  return takesFiles ? keyOf(path) : nothing;
}

type ListMember = JobFormMember & { readonly control: Extract<JobFormMember['control'], { kind: 'list' }> };

function listOf(model: Model, actions: Actions, member: ListMember, path: JobFormPath, id: string): TemplateResult {
  const { label, control } = member;
  const { item } = control;
  const count = model.values.get(keyOf(path))?.count ?? 0;
  const problem = problemAt(model, path);
  const rows = Array.from({ length: count }, (_, index) => {
    const at = [...path, index];
    const own = `${id}-item-${index}`;
    const wrong = problemAt(model, at, usedControl(item, model.values.get(keyOf(at))));
    const name = l10n.t`${label} ${index + 1}`;
    const describedBy = wrong === undefined ? '' : `${own}-problem`;
    return html`<li data-path=${dropPath(item, at)}>
      <span class="row">
        ${controlFor(model, actions, item, { path: at, id: own, isRequired: false, isInvalid: wrong !== undefined, describedBy, label, name })}
        <button
          type="button"
          class="framed"
          aria-label=${l10n.t`Remove ${name}`}
          @click=${() => actions.change(at, undefined, `${id}-add`)}
        >
          ${l10n.t('Remove')}
        </button>
      </span>
      ${wrong === undefined ? nothing : html`<p class="problem hint" id="${own}-problem">${wrong}</p>`}
    </li>`;
  });
  return html`<fieldset aria-describedby=${notes(member, problem, id) || nothing}>
    <legend>${labelOf(member)}</legend>
    ${
      rows.length > 0
        ? html`<ol>
            ${rows}
          </ol>`
        : nothing
    }
    <button
      type="button"
      class="framed"
      id="${id}-add"
      aria-invalid=${problem !== undefined}
      aria-describedby=${notes(member, problem, id) || nothing}
      @click=${() => actions.change([...path, -1], newItem(item), `${id}-item-${count}`)}
    >
      ${l10n.t('Add')}<span class="visually-hidden"> ${label}</span>
    </button>
    ${notesOf(member, problem, id)}
  </fieldset>`;
}

type Facts = Pick<JobFormMember, 'name' | 'label' | 'description' | 'isRequired' | 'defaultText'> & {
  readonly control: JobFormField['control'];
};

function labelOf({ name, label, isRequired }: Facts): TemplateResult {
  return html`<span class="label">${label}</span>${label === name ? nothing : html` <code class="dim">${name}</code>`}${
      isRequired ? html` <span class="dim">${l10n.t('(required)')}</span>` : nothing
    }`;
}

/** Returns the IDs of the notes about a field. */
function notes(facts: Facts, problem: string | undefined, id: string): string {
  const ids = [hintOf(facts) === '' ? '' : `${id}-hint`, problem === undefined ? '' : `${id}-problem`];
  return ids.filter((one) => one !== '').join(' ');
}

function notesOf(facts: Facts, problem: string | undefined, id: string): TemplateResult {
  const hint = hintOf(facts);
  return html`${hint === '' ? nothing : html`<p class="dim hint" id="${id}-hint">${hint}</p>`}
  ${problem === undefined ? nothing : html`<p class="problem hint" id="${id}-problem">${problem}</p>`}`;
}

function hintOf({ description, defaultText, control }: Facts): string {
  const range = control.kind === 'number' && control.range !== '' ? l10n.t`Number: ${control.range}.` : '';
  const isShort = defaultText !== undefined && defaultText.length <= 100 && defaultText !== 'null';
  const standard = isShort ? l10n.t`Default: ${defaultText}.` : '';
  const form = control.kind === 'json' ? l10n.t('Enter JSON.') : '';
  return [description ?? '', range, form, standard].filter((text) => text !== '').join(' ');
}
