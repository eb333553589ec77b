import type { TextChange, Span } from '../../../../text/span.ts';
import { referencesIn, referenceText, type EnvReference } from '../../../../account/secrets/envReferences.ts';
import { nodeAt, stepsTo } from '../text/locate.ts';
import type { ManifestFile } from '../manifestFile.ts';
import type { Member, ScalarNode } from '../text/node.ts';
import * as l10n from '@vscode/l10n';

/* Places in the values of `env`, and edits that write references there. */

/** A value of `env` in a file. */
export interface EnvPlace {
  /** Index of the endpoint in the file. */
  readonly part: number;
  readonly variable: string;
}

type Parts = Pick<ManifestFile, 'text' | 'parts'>;

/** Returns the value of `env` at an offset. A value includes the white space after it, and an empty value the rest of its line. */
export function envPlaceAt({ text, parts }: Parts, offset: number): EnvPlace | undefined {
  for (const { root, index } of parts) {
    const env = nodeAt(root, ['env']);
    if (env?.kind !== 'map' || env.alias) continue;
    const member = env.members.find((one) => contains(spanOf(one, text), offset));
    if (member?.value.kind === 'scalar' && !member.value.alias) return { part: index, variable: member.key };
  }
  return undefined;
}

/** Returns the literal string at a place. Undefined if the file does not have it, or if it is written elsewhere, at an anchor. */
export function literalAt(file: Parts, place: EnvPlace): string | undefined {
  const value = ownScalar(file, place)?.value;
  return typeof value === 'string' ? value : undefined;
}

/** Returns the change that replaces a value by a reference. */
export function replaceByReference(file: Parts, place: EnvPlace, reference: EnvReference): TextChange | undefined {
  const node = ownScalar(file, place);
  return node && { ...replacedSpan(file.text, node), text: quoted(file.text, node, referenceText(reference)) };
}

/** Returns the change that writes a reference at a selection in a value. */
export function insertReference(
  file: Parts,
  place: EnvPlace,
  reference: EnvReference,
  selection: Span,
): TextChange | undefined {
  const node = ownScalar(file, place);
  if (!node) return undefined;
  if (node.style === 'empty') return replaceByReference(file, place, reference);
  const written = referenceText(reference);
  const inner = node.style === 'quoted' ? { start: node.start + 1, end: node.end - 1 } : node;
  if (node.style !== 'plain') return { ...within(inner, selection), text: written };
  // In a flow map, a plain value cannot contain the braces of a reference.
  const content = file.text.slice(node.start, selection.start) + written + file.text.slice(selection.end, node.end);
  return content.includes('\n')
    ? { ...selection, text: written }
    : { start: node.start, end: Math.max(node.end, selection.end), text: JSON.stringify(content) };
}

function within({ start, end }: Span, selection: Span): Span {
  const limited = (offset: number) => Math.min(Math.max(offset, start), end);
  return { start: limited(selection.start), end: limited(selection.end) };
}

/** Returns the names of the endpoints in a file whose `env` refers to a secret. An endpoint without a name has an empty one. */
export function usersOfSecret({ parts }: Parts, secret: string): readonly string[] {
  return parts.flatMap(({ root }) => {
    const env = nodeAt(root, ['env']);
    if (env?.kind !== 'map') return [];
    const isUsed = [...env.members, ...env.merged].some(
      ({ value }) =>
        value.kind === 'scalar' &&
        typeof value.value === 'string' &&
        referencesIn(value.value).some(({ kind, name }) => kind === 'secret' && name === secret),
    );
    const name = nodeAt(root, ['name']);
    return isUsed ? [name?.kind === 'scalar' && typeof name.value === 'string' ? name.value : ''] : [];
  });
}

/** Returns the scalar at a place, unless an anchor shares it with a field in which a reference has no effect. */
function ownScalar({ text, parts }: Parts, { part, variable }: EnvPlace): ScalarNode | undefined {
  const path = ['env', variable];
  const { member, node, shared } = stepsTo(parts[part]?.root, path)[path.length] ?? {};
  if (!member || node?.kind !== 'scalar' || shared || node.alias) return undefined;
  return text.slice(member.keySpan.end, node.start).includes('&') ? undefined : node;
}

/** Returns the span of a value with the white space after it. */
function spanOf({ value, keySpan }: Member, text: string): Span {
  if (value.start !== value.end)
    return { start: value.start, end: value.end + (/^[ \t]*/.exec(text.slice(value.end))?.[0].length ?? 0) };
  const length = text.slice(keySpan.end).search(/\r?\n|$/);
  return { start: keySpan.end + 1, end: keySpan.end + length };
}

function contains({ start, end }: Span, offset: number): boolean {
  return offset >= start && offset <= end;
}

/** A block ends with the line break before the next field, which stays. */
function replacedSpan(text: string, { start, end, style }: ScalarNode): Span {
  const ending = style === 'block' ? (/(?:[ \t]*\r?\n)+$/.exec(text.slice(start, end))?.[0].length ?? 0) : 0;
  return { start, end: end - ending };
}

/** Returns a text in quotes, with a space after a colon without a value. */
function quoted(text: string, { start, style }: ScalarNode, content: string): string {
  const needsSpace = style === 'empty' && text[start - 1] === ':';
  return `${needsSpace ? ' ' : ''}${JSON.stringify(content)}`;
}

/* References in the values of `env`, such as `${env:NAME}`. They are resolved when the endpoint is created or updated. */

export const variableSources = [
  {
    name: 'env',
    meaning: l10n.t('Environment variable of the editor, resolved when the endpoint is created or updated.'),
  },
  { name: 'secret', meaning: l10n.t('Stored secret, resolved when the endpoint is created or updated.') },
] as const;
