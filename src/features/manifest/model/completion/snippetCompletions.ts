import * as l10n from '@vscode/l10n';
import { discriminatorOf, type Field, type FieldSchema } from '../fields/fieldSchema.ts';
import type { Path } from '../../../../contract/violation.ts';
import { type Completion, completionOf, type Request } from './entries.ts';
import { asksForValue, itemSnippet, sketchOf, valueSnippet, type Sketch } from './sketch.ts';
import { variableSources } from '../environment/envEdit.ts';

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
export function fitting({ rules }: Request, schema: FieldSchema, path: Path): (alternative: FieldSchema) => boolean {
  const selector = discriminatorOf(schema);
  return ({ properties }) =>
    rules.effectOf([...path, selector], properties?.[selector]?.const).excludedBy === undefined;
}

/** Returns references for the value of a variable: to each stored secret, and templates such as `${env:NAME}`. */
export function variableCompletions(request: Request): Completion[] {
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

interface Snippet {
  readonly label: string;
  readonly detail?: string;
  readonly sketch: Sketch;
  readonly index: number;
}

function snippetCompletion(request: Request, { label, detail, sketch, index }: Snippet): Completion {
  const { place, writing } = request;
  const snippet = place.position === 'inline' && place.style === 'block' ? valueSnippet : itemSnippet;
  return completionOf(request, {
    ...{ label, kind: 'snippet', detail, group: 'usual', index },
    insertText: snippet(sketch, writing, place.column),
    retrigger: asksForValue(sketch),
  });
}
