import type { ManifestEdit } from '../edit.ts';
import type { Fields } from '../editing/effectiveValue.ts';
import { removals, valueAt } from './fields.ts';
import { set } from './fix.ts';
import { exampleOf } from './schemaValue.ts';

/** Field of each kind of scaling. */
const FIELDS: Readonly<Record<string, string>> = { QUEUE_DELAY: 'queueDelay', REQUEST_COUNT: 'requestCount' };

/** Returns the edits that change the kind of scaling, with the field that it needs. */
export function scalerEdits(manifest: Fields, type: string): ManifestEdit[] {
  const own = FIELDS[type];
  const others = Object.values(FIELDS).filter((field) => field !== own);
  const selected = { scaling: { type } };
  const isMissing = own !== undefined && valueAt(manifest, ['scaling', own]) === undefined;
  return [
    set(['scaling', 'type'], type),
    ...(isMissing ? [set(['scaling', own], exampleOf(['scaling', own], selected))] : []),
    ...removals(manifest, ...others.map((field) => ['scaling', field])),
  ];
}
