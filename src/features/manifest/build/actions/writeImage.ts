import type { TextChange } from '../../../../text/span.ts';
import { changesOf } from '../../model/editing/changesOf.ts';
import { ENVIRONMENTS, environmentsOf } from '../../model/patched/environmentsOf.ts';
import { nodeAt } from '../../model/text/locate.ts';
import type { ParsedFile } from '../../model/text/parsed.ts';

/**
 * Returns the changes that set the image of a manifest. Comments and formatting stay. Returns undefined if the text cannot be changed
 * without changing other fields.
 *
 * @param environment the one that the image was built for. Its patch gets the image if the patch has another image or another build
 */
export function imageChanges(
  { text, language, parts }: Pick<ParsedFile, 'text' | 'language' | 'parts'>,
  part: number,
  reference: string,
  environment?: string,
): readonly TextChange[] | undefined {
  const root = parts[part]?.root;
  const patch = environmentsOf(root).find(({ name }) => name === environment)?.patch;
  const isOwn = nodeAt(patch, ['image']) !== undefined || nodeAt(patch, ['x-build']) !== undefined;
  const path = isOwn && environment !== undefined ? [ENVIRONMENTS, environment, 'patch', 'image'] : ['image'];
  return changesOf({ text, language, root }, [{ kind: 'set', path, value: reference }]);
}
