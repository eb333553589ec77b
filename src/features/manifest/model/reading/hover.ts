import type { Path } from '../../../../contract/violation.ts';
import { code, formatted, joinedMarkdown, type Markdown } from '../../../../text/markdown.ts';
import { chosenAt, liveChoices } from '../liveChoices.ts';
import { draftOf, type Draft } from '../draft.ts';
import { fieldMarkdown, valueMarkdown } from '../fields/fieldMarkdown.ts';
import { fieldAt, type Field } from '../fields/fieldSchema.ts';
import type { LiveValues } from '../../../../account/liveValues/liveValues.ts';
import type { Span } from '../../../../text/span.ts';
import { scopeOf } from '../patched/environmentsOf.ts';
import type { ManifestNode, ScalarNode } from '../text/node.ts';
import type { ParsedFile } from '../text/parsed.ts';

/** Documentation of the field or the value at an offset. The span is the text that it describes. */
export interface ManifestHover extends Span {
  readonly markdown: Markdown;
}

/** Returns the documentation at an offset, or undefined where the contract defines nothing. */
export function hoverAt({ parts }: ParsedFile, offset: number, live: LiveValues): ManifestHover | undefined {
  for (const { root } of parts) {
    const target = root && targetAt(root, offset);
    if (!target) continue;
    const { path, node } = target;
    const draft = draftOf(root);
    const field = fieldAt(path, draft);
    if (!field) return undefined;
    const { start, end } = target.span;
    const named = namedFieldAt(path, field, draft);
    const documentation = named && fieldMarkdown(named.field, named.path);
    const facts = node && valueFacts(node, { path, field, root, live });
    const sections = [facts, documentation].filter((section) => section !== undefined);
    return sections.length === 0 ? undefined : { start, end, markdown: joinedMarkdown(sections, '\n\n---\n\n') };
  }
  return undefined;
}

interface Target {
  readonly path: Path;
  readonly span: Span;
  /** The scalar, if the offset is at a value. */
  readonly node?: ScalarNode;
}

/** Finds the key or the scalar at an offset. */
function targetAt(root: ManifestNode, offset: number): Target | undefined {
  const path: (string | number)[] = [];
  for (let node: ManifestNode | undefined = root; node;) {
    if (node.kind === 'scalar')
      return node.start < node.end && contains(node, offset) ? { path, span: node, node } : undefined;
    // The content of an alias is written elsewhere.
    if (node.alias) return undefined;
    if (node.kind === 'list') {
      const index = node.items.findIndex((item) => contains(item, offset));
      path.push(index);
      node = node.items[index];
      continue;
    }
    const member: (typeof node.members)[number] | undefined = node.members.find(
      ({ keySpan, value }) => contains(keySpan, offset) || contains(value, offset),
    );
    if (!member) return undefined;
    path.push(member.key);
    if (contains(member.keySpan, offset)) return { path, span: member.keySpan };
    node = member.value;
  }
  return undefined;
}

function contains({ start, end }: Span, offset: number): boolean {
  return start <= offset && offset <= end;
}

/** Returns the field with a name that a path belongs to: the list of an item, and the map of a variable. */
function namedFieldAt(
  path: Path,
  field: Field,
  draft: Draft,
): { readonly field: Field; readonly path: Path } | undefined {
  if (field.schema.description !== undefined) return { field, path };
  if (path.length === 0) return undefined;
  const parent = path.slice(0, -1);
  const outer = fieldAt(parent, draft);
  return outer && namedFieldAt(parent, outer, draft);
}

interface Context {
  readonly path: Path;
  readonly field: Field;
  readonly root: ManifestNode;
  readonly live: LiveValues;
}

/** Returns the facts of a value: those of the object that it identifies, or a number in its unit. */
function valueFacts({ value }: ScalarNode, { path, field: { schema }, root, live }: Context): Markdown | undefined {
  const reference = schema['x-refers-to'];
  const scope = scopeOf(root, path);
  const choices = reference && liveChoices(reference, live, chosenAt(draftOf(scope.root), scope.path));
  const choice = choices?.find((one) => one.value === value);
  if (choice) return choice.facts;
  if (typeof value === 'number' && schema['x-unit']) return formatted`${valueMarkdown(value, schema)}`;
  return typeof value === 'string' && schema.enum?.includes(value) ? formatted`${code(value)}` : undefined;
}
