import * as l10n from '@vscode/l10n';
import type { Path } from '../../../../contract/violation.ts';
import { discriminatorOf, selectedFields, type Field, type FieldSchema } from '../fields/fieldSchema.ts';
import { valueAt } from '../editing/editedValue.ts';
import { fieldMarkdown, typeOf } from '../fields/fieldMarkdown.ts';
import { type Completion, completionOf, type Group, type Request } from './entries.ts';
import type { Place } from './place.ts';
import { asksForValue, fieldSnippet, sketchOf, itemSnippet, valueSnippet, type Sketch } from './sketch.ts';
import { snippetText } from '../../../../text/snippetText.ts';

/** Returns the fields that the map at the cursor does not have yet. */
export function fieldCompletions(request: Request, object: FieldSchema): readonly Completion[] {
  const { place } = request;
  const present = new Set(place.members.map(({ key }) => key));
  // A patch can omit the field that selects an alternative.
  const selector =
    discriminatorsOf(place, object) ?? (place.prefix.length > 0 ? valueAt(place.draft, place.path) : undefined);
  const fields = selectedFields(object, selector);
  return fields
    .filter(({ name }) => !present.has(name))
    .map((field, index) => fieldCompletion({ request, field, path: [...place.path, field.name], index }));
}

interface Candidate {
  readonly request: Request;
  readonly field: Field;
  readonly path: Path;
  readonly index: number;
}

function fieldCompletion({ request, field, path, index }: Candidate): Completion {
  const { place, rules, writing } = request;
  const { name, schema, required, alternative } = field;
  const value = sampleOf(schema);
  const { excludedBy } = value === undefined ? {} : rules.effectOf(path, value);
  const isRequired = required && alternative === undefined;
  const usual = isRequired ? 'required' : 'usual';
  const group: Group = schema.deprecated ? 'deprecated' : excludedBy === undefined ? usual : 'excluded';
  const type = typeOf(schema, (item) => item);
  const sketch = place.hasColon ? undefined : sketchOf(schema, fitting(request, schema, path));
  return completionOf(request, {
    ...{ label: name, kind: 'field', group, index, deprecated: schema.deprecated ?? false },
    detail: excludedBy ?? (alternative === undefined || !required ? type : l10n.t`${type}, with ${alternative}`),
    documentation: fieldMarkdown(field, path),
    insertText: sketch ? fieldSnippet(name, sketch, writing, place.column) : snippetText(writing.key(name)),
    retrigger: sketch !== undefined && asksForValue(sketch),
  });
}

/** Returns a value for the rules: the default, an empty map if the map requires no field, or an example. */
function sampleOf(schema: FieldSchema): unknown {
  const isOptionalMap = schema.properties !== undefined && (schema.required ?? []).length === 0;
  return schema.default ?? (isOptionalMap ? {} : schema.examples?.[0]);
}

/** Returns the value that selects an alternative of a discriminated union, as a map. */
function discriminatorsOf({ members }: Place, object: FieldSchema): unknown {
  const selector = discriminatorOf(object);
  const member = members.findLast(({ key }) => key === selector);
  return member?.value.kind === 'scalar' ? { [selector]: member.value.value } : undefined;
}

/** Returns a map or a list with its required fields, and the examples of the contract. */
export function snippetCompletions(request: Request, { name, schema }: Field): Completion[] {
  const sketch = sketchOf(schema, fitting(request, schema, request.place.path));
  const title = schema.title ?? (/^\d*$/.test(name) ? l10n.t('New item') : l10n.t`New ${name}`);
  return [
    snippetCompletion(request, { label: title, sketch, index: 0 }),
    ...(schema.examples ?? []).map((example, index) =>
      snippetCompletion(request, {
        ...{ label: JSON.stringify(example), detail: l10n.t('example') },
        ...{ sketch: { value: example, holes: [] }, index: index + 1 },
      }),
    ),
  ];
}

/** Returns a filter for the alternatives of a discriminated union that the rules allow in the manifest. */
function fitting({ rules }: Request, schema: FieldSchema, path: Path): (alternative: FieldSchema) => boolean {
  const selector = discriminatorOf(schema);
  return ({ properties }) =>
    rules.effectOf([...path, selector], properties?.[selector]?.const).excludedBy === undefined;
}

interface Snippet {
  readonly label: string;
  readonly detail?: string;
  readonly sketch: Sketch;
  readonly index: number;
}

function snippetCompletion(request: Request, { label, detail, sketch, index }: Snippet): Completion {
  const { place, writing } = request;
  const snippet = place.afterColon ? valueSnippet : itemSnippet;
  return completionOf(request, {
    ...{ label, kind: 'snippet', detail, group: 'usual', index },
    insertText: snippet(sketch, writing, place.column),
    retrigger: asksForValue(sketch),
  });
}
