import type { Path } from '../../../contract/violation.ts';
import type { ManifestNode } from './text/node.ts';
import type { ManifestLanguage } from './text/parsed.ts';

/* Edits of a manifest. They change as little text as possible, so that comments and formatting stay. */

/** The endpoint of a file that an edit applies to. */
export interface EditSource {
  readonly text: string;
  readonly language: ManifestLanguage;
  readonly root: ManifestNode | undefined;
}

/** An edit of the value at a path. Index `length` of a list appends an item. */
export type ManifestEdit =
  /** Replaces the value, or adds the field and its missing parents. Equal members of a replaced map or list stay as they are. */
  | { readonly kind: 'set'; readonly path: Path; readonly value: unknown }
  /** Removes the field, or the item of a list. The last one leaves an empty map or list. */
  | { readonly kind: 'remove'; readonly path: Path }
  /** Renames the field and keeps its value. */
  | { readonly kind: 'rename'; readonly path: Path; readonly name: string };
