import { discriminatorOf, type Field, type FieldSchema } from '../fields/fieldSchema.ts';
import type { Path } from '../../../../contract/violation.ts';
import type { Completion } from './completion.ts';
import type { Request } from './request.ts';
import { asksForValue, sketchOf, sketchOfValue, SketchWriter, type Sketch } from './sketch.ts';
import { variableSources } from '../variables.ts';
import { missingComma, sortKey } from './entries.ts';

/** Returns a map or a list with its required fields, and the examples of the contract. */
export function snippetCompletions(request: Request, { name, schema }: Field): Completion[] {
  const sketch = sketchOf(schema, fitting(request, schema, request.place.path));
  const title = schema.title ?? (/^\d*$/.test(name) ? 'New item' : `New ${name}`);
  return [
    snippetCompletion(request, { label: title, sketch, index: 0 }),
    ...(schema.examples ?? []).map((example, index) =>
      snippetCompletion(request, {
        ...{ label: JSON.stringify(example), detail: 'example' },
        ...{ sketch: sketchOfValue(example), index: index + 1 },
      }),
    ),
  ];
}

/** Returns a filter for the alternatives of a discriminated union that the rules allow in the manifest. */
export function fitting({ rules }: Request, schema: FieldSchema, path: Path): (alternative: FieldSchema) => boolean {
  const selector = discriminatorOf(schema);
  return ({ properties }) =>
    rules.effectOf([...path, selector], properties?.[selector]?.const).excludedBy === undefined;
}

/** Returns references such as `${env:NAME}` for the value of a variable. */
export function variableCompletions(request: Request): Completion[] {
  const { place, writing } = request;
  const [before = '', after = ''] = writing.scalar('${x}').split('${x}');
  return variableSources.map(({ name, meaning }, index) => ({
    ...place.token,
    ...{ label: `\${${name}:…}`, kind: 'snippet', detail: meaning },
    insertText: `${place.lead}${before}\\\${${name}:\${1:NAME}\\}${after}${place.trail}`,
    filterText: `${place.quote ?? ''}\${${name}:`,
    sortText: sortKey('usual', index),
    ...{ deprecated: false, preselect: false, retrigger: false },
    also: missingComma(request),
  }));
}

interface Snippet {
  readonly label: string;
  readonly detail?: string;
  readonly sketch: Sketch;
  readonly index: number;
}

function snippetCompletion(request: Request, { label, detail, sketch, index }: Snippet): Completion {
  const { place, writing } = request;
  const writer = new SketchWriter(writing);
  const isAfterColon = place.position === 'inline' && place.style === 'block';
  const text = isAfterColon ? writer.afterColon(sketch, place.column) : writer.own(sketch, place.column);
  return {
    ...place.token,
    ...{ label, kind: 'snippet', detail },
    insertText: place.lead + text + place.trail,
    filterText: (place.quote ?? '') + label,
    sortText: sortKey('usual', index),
    ...{ deprecated: false, preselect: false, retrigger: asksForValue(sketch) },
    also: missingComma(request),
  };
}
