import type { TextChange } from '../../../../text/span.ts';
import { changesOf } from '../../model/editing/changesOf.ts';
import type { ParsedFile } from '../../model/text/parsed.ts';

/**
 * Returns the changes that set the image of a manifest. Comments and formatting stay. Returns undefined if the text cannot be changed
 * without changing other fields.
 */
export function imageChanges(
  { text, language, parts }: Pick<ParsedFile, 'text' | 'language' | 'parts'>,
  part: number,
  reference: string,
): readonly TextChange[] | undefined {
  const root = parts[part]?.root;
  return changesOf({ text, language, root }, [{ kind: 'set', path: ['image'], value: reference }]);
}
