import * as l10n from '@vscode/l10n';
import { variableSources } from '../environment/envEdit.ts';
import type { Markdown } from '../../../../text/markdown.ts';
import { chosenAt, liveChoices } from '../liveChoices.ts';
import { durationText, fieldMarkdown } from '../fields/fieldMarkdown.ts';
import { itemsOf, kindsOf, type Field, type FieldSchema } from '../fields/fieldSchema.ts';
import { type Completion, completionOf, type Request } from './entries.ts';
import { snippetCompletions } from './fieldCompletions.ts';
import { writingAt } from './sketch.ts';
import { snippetText } from '../../../../text/snippetText.ts';

/** A value to offer. */
interface Offer {
  readonly value: unknown;
  readonly label: string;
  readonly detail?: string | undefined;
  readonly documentation?: Markdown | undefined;
  readonly unavailable?: boolean;
  readonly preselect?: boolean;
}

/** Returns the values that fit at the cursor. */
export function valueCompletions(request: Request, field: Field, holdsVariables: boolean): readonly Completion[] {
  const { place } = request;
  if (holdsVariables) return variableCompletions(request);
  const { schema } = field;
  const kinds = kindsOf(schema);
  if (kinds.includes('map')) return place.quote ? [] : snippetCompletions(request, field);
  const items = itemsOf(schema);
  const lists = items && !place.quote ? listCompletions(request, field, items) : [];
  return [...lists, ...scalarCompletions(request, offersOf(request, schema))];
}

/** Returns references for the value of a variable: to each stored secret, and templates such as `${env:NAME}`. */
function variableCompletions(request: Request): Completion[] {
  const { writing, live } = request;
  const stored = (live.secretNames ?? []).map((name) => ({
    ...{ label: `\${secret:${name}}`, detail: l10n.t('Stored secret.'), source: 'secret', name },
  }));
  const templates = variableSources.map(({ name: source, meaning }) => ({
    ...{ label: `\${${source}:…}`, detail: meaning, source, name: '${1:NAME}' },
  }));
  const [before = '', after = ''] = writing.scalar('${x}').split('${x}');
  return [...stored, ...templates].map(({ label, detail, source, name }, index) =>
    completionOf(request, {
      ...{ label, kind: 'snippet', detail, group: 'usual', index },
      insertText: `${before}\\\${${source}:${name}\\}${after}`,
      searched: label.replace(/…}$/, ''),
    }),
  );
}

/** Returns lists with one item, which fit after a colon. */
function listCompletions(request: Request, field: Field, items: FieldSchema): readonly Completion[] {
  const { text, place } = request;
  if (kindsOf(items).includes('map')) return snippetCompletions(request, field);
  const writing = writingAt(text, { ...place, style: place.style === 'json' ? 'json' : 'flow' });
  const offers = offersOf({ ...request, place: { ...place, path: [...place.path, 0] } }, items);
  return offers.map((offer, index) =>
    completion(request, { ...offer, text: `[${writing.scalar(offer.value)}]` }, index),
  );
}

function scalarCompletions(request: Request, offers: readonly Offer[]): Completion[] {
  const written = new Set<unknown>(request.place.items.map((item) => (item.kind === 'scalar' ? item.value : item)));
  return offers.flatMap((offer, index) => {
    if (written.has(offer.value)) return [];
    const { excludedBy, repeats } = request.rules.effectOf(request.place.path, offer.value);
    if (repeats) return [];
    const text = request.writing.scalar(offer.value);
    return [completion(request, { ...offer, text, excludedBy }, index)];
  });
}

/** Returns live values, or else the values and examples of the contract. */
function offersOf({ live, place, rules }: Request, schema: FieldSchema): readonly Offer[] {
  const reference = schema['x-refers-to'];
  const choices = reference && liveChoices(reference, live, chosenAt(rules.draft, place.path));
  const literal = literalOffers(schema, place.path);
  if (!choices) return [...literal, ...exampleOffers(schema)];
  return [
    ...choices.map(({ facts, ...choice }): Offer => ({ ...choice, documentation: facts })),
    ...literal.filter(({ value }) => value === null),
  ];
}

/** Returns the values of an enumeration, booleans, null, and the default. */
function literalOffers(schema: FieldSchema, path: Request['place']['path']): Offer[] {
  const kinds = kindsOf(schema);
  const values = new Set<unknown>(schema.enum);
  if (kinds.includes('boolean')) values.add(true).add(false);
  if (schema.default !== undefined) values.add(schema.default);
  if (kinds.includes('null')) values.add(null);
  const documentation = fieldMarkdown({ name: '', schema, required: false }, path);
  return [...values].map((value) => {
    const isDefault = value === schema.default;
    const detail = detailOf(value, schema, isDefault ? 'default' : undefined);
    return { value, label: String(value), detail, documentation, preselect: isDefault };
  });
}

/** Returns the examples that are no literals. Booleans are. */
function exampleOffers(schema: FieldSchema): Offer[] {
  const { examples = [], default: fallback, enum: values = [] } = schema;
  return examples
    .filter((value) => !['object', 'boolean'].includes(typeof value) && value !== fallback && !values.includes(value))
    .map((value) => ({ value, label: String(value), detail: detailOf(value, schema, 'example') }));
}

function detailOf(value: unknown, schema: FieldSchema, role: string | undefined): string | undefined {
  const unit = schema['x-unit'];
  const duration = unit && typeof value === 'number' ? durationText(value, unit) : undefined;
  const parts = [role, duration].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(' · ');
}

interface Written extends Offer {
  /** Text of the value in the manifest. */
  readonly text: string;
  readonly excludedBy?: string | undefined;
}

function completion(request: Request, offer: Written, index: number): Completion {
  const { value, label, text, excludedBy } = offer;
  const group = excludedBy !== undefined ? 'excluded' : offer.unavailable ? 'unavailable' : 'usual';
  const searched = String(value) === label ? label : `${label} ${String(value)}`;
  return completionOf(request, {
    ...{ label, kind: 'value', detail: excludedBy ?? offer.detail, documentation: offer.documentation, group, index },
    insertText: snippetText(text),
    searched,
    preselect: offer.preselect === true && excludedBy === undefined,
  });
}
