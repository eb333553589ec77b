import type { Span } from '../../../../text/span.ts';
import type { ManifestProblem } from '../problem.ts';

/* The tree of a manifest. YAML and JSON have the same tree, so that every service of the editor supports both. */

export interface Member extends Span {
  readonly key: string;
  readonly keySpan: Span;
  readonly value: ManifestNode;
  /** Whether this is a YAML merge key. The content of its value is in `merged`. */
  readonly merge?: boolean;
}

export interface MapNode extends Span {
  readonly kind: 'map';
  readonly members: readonly Member[];
  /** Members of the maps that YAML merges into this one with `<<`. They apply to keys that `members` does not have. The first of several equal keys counts. */
  readonly merged: readonly Member[];
  /** Whether the map is written in braces. Always true in JSON. */
  readonly flow: boolean;
  /** Whether this node is a YAML alias. The content is written at the anchor, outside the span. */
  readonly alias?: boolean;
}

export interface ListNode extends Span {
  readonly kind: 'list';
  readonly items: readonly ManifestNode[];
  /** Whether the list is written in brackets. Always true in JSON. */
  readonly flow: boolean;
  readonly alias?: boolean;
}

export interface ScalarNode extends Span {
  readonly kind: 'scalar';
  readonly value: string | number | bigint | boolean | null;
  /** `empty`: the node has no text, as after `name:`. */
  readonly style: 'plain' | 'quoted' | 'block' | 'empty';
  readonly alias?: boolean;
}

export type ManifestNode = MapNode | ListNode | ScalarNode;

export type ManifestLanguage = 'yaml' | 'json';

/** One endpoint of a file: a YAML document, or a whole JSON file. */
export interface ParsedPart extends Span {
  readonly index: number;
  /** Tree of the part, also for a text with syntax errors. Undefined for a text without content, or with excessive content. */
  readonly root: ManifestNode | undefined;
  /** Value of the part. Undefined if it has errors, and null if it is empty. */
  readonly value?: unknown;
  /** Problems of the text itself. */
  readonly problems: readonly ManifestProblem[];
}

export interface ParsedFile {
  readonly text: string;
  readonly language: ManifestLanguage;
  /** At least one part. */
  readonly parts: readonly ParsedPart[];
}

/**
 * Returns the value of a tree, with the members that YAML merges into its maps. A key such as `__proto__` becomes an own property. The last of
 * several equal members counts.
 */
export function valueOfTree(node: ManifestNode | undefined): unknown {
  switch (node?.kind) {
    case 'map':
      return Object.fromEntries(
        [...node.merged.toReversed(), ...node.members.filter(({ merge }) => !merge)].map(({ key, value }) => [
          key,
          valueOfTree(value),
        ]),
      );
    case 'list':
      return node.items.map(valueOfTree);
    case 'scalar':
      return node.value;
    case undefined:
      return undefined;
  }
}
