import * as l10n from '@vscode/l10n';
import { Manifest } from '../../../../contract/manifest.ts';
import { extentOf, memberExtent, partExtent, nodeAt } from '../text/locate.ts';
import type { Span } from '../../../../text/span.ts';
import type { ParsedFile, ParsedPart } from '../text/parsed.ts';
import type { ManifestNode, Member } from '../text/node.ts';

export type SymbolKind = 'endpoint' | 'map' | 'list' | 'string' | 'number' | 'boolean' | 'null';

/** An entry of the outline. Its span contains `selection` and all children. */
export interface OutlineSymbol extends Span {
  /** Not empty. */
  readonly name: string;
  readonly detail: string;
  readonly kind: SymbolKind;
  readonly selection: Span;
  readonly deprecated: boolean;
  readonly children: readonly OutlineSymbol[];
}

const shape: Readonly<Record<string, { meta(): { readonly deprecated?: boolean | undefined } | undefined }>> =
  Manifest.shape;

/** Returns the fields of a manifest. A file with several endpoints has one root for each of them. */
export function outline({ text, parts }: ParsedFile): OutlineSymbol[] {
  const [only, second] = parts;
  if (!second) return only?.root ? membersOf(only.root, text, true) : [];
  return parts.flatMap((part) => (part.root ? [endpointOf(part, part.root, text)] : []));
}

function endpointOf(part: ParsedPart, root: ManifestNode, text: string): OutlineSymbol {
  const span = partExtent(part, text);
  const name = nodeAt(root, ['name']);
  const written = root.kind === 'map' ? root.members.find(({ key }) => key === 'name') : undefined;
  const line = { start: span.start, end: span.start };
  return {
    ...span,
    name: scalarText(name) || l10n.t`Endpoint ${part.index + 1}`,
    detail: scalarText(nodeAt(root, ['type'])),
    kind: 'endpoint',
    selection: written ? within(memberExtent(written, text), span) : line,
    deprecated: false,
    children: membersOf(root, text, true),
  };
}

function membersOf(node: ManifestNode, text: string, isRoot = false, isSecret = false): OutlineSymbol[] {
  // The members of an alias are outside its span.
  if (node.alias || node.kind === 'scalar') return [];
  if (node.kind === 'list')
    return node.items.map((item, index) => {
      const span = extentOf(item, text);
      return symbolOf(item, text, { name: itemName(item, index), span, selection: span });
    });
  return node.members.map((member) => {
    const span = memberExtent(member, text);
    const isEnv = member.key === 'env';
    return {
      ...symbolOf(member.value, text, { name: nameOf(member), span, selection: within(member.keySpan, span), isEnv }),
      ...(isSecret ? { detail: '' } : {}),
      deprecated: isRoot && Object.hasOwn(shape, member.key) && shape[member.key]?.meta()?.deprecated === true,
    };
  });
}

interface Entry {
  readonly name: string;
  readonly span: Span;
  readonly selection: Span;
  /** The outline omits the values of environment variables, because they can be secrets. */
  readonly isEnv?: boolean;
}

function symbolOf(node: ManifestNode, text: string, { name, span, selection, isEnv = false }: Entry): OutlineSymbol {
  const children = membersOf(node, text, false, isEnv);
  const isInside = (child: OutlineSymbol) => child.start >= span.start && child.end <= span.end;
  return {
    ...{ ...span, name, selection, kind: kindOf(node), deprecated: false },
    detail: node.kind === 'scalar' && scalarText(node) !== name ? scalarText(node) : '',
    children: children.filter(isInside),
  };
}

/** Names the item of a list by its value or ID. */
function itemName(item: ManifestNode, index: number): string {
  const id = item.kind === 'map' ? (nodeAt(item, ['id']) ?? nodeAt(item, ['volumeId'])) : item;
  return scalarText(id) || String(index);
}

function nameOf({ key }: Member): string {
  return key.trim() === '' ? '""' : key;
}

/** Returns the text of a scalar on one line. */
function scalarText(node: ManifestNode | undefined): string {
  if (node?.kind !== 'scalar' || node.style === 'empty') return '';
  return String(node.value).replaceAll(/\s+/g, ' ').trim();
}

function kindOf(node: ManifestNode): SymbolKind {
  if (node.kind !== 'scalar') return node.kind;
  switch (typeof node.value) {
    case 'number':
    case 'bigint':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'string':
      return 'string';
    default:
      return 'null';
  }
}

function within({ start, end }: Span, { start: first, end: last }: Span): Span {
  const from = Math.min(Math.max(start, first), last);
  return { start: from, end: Math.max(from, Math.min(end, last)) };
}
