import { editedValue, ImpossibleEdit, isFields, type Fields, type ManifestEdit } from '../editing/editedValue.ts';
import { valueOfTree, type ManifestNode } from '../text/node.ts';
import { ENVIRONMENTS, manifestIn, type ManifestEnvironment } from './environmentsOf.ts';
import { patchFor } from './mergePatch.ts';

/**
 * Returns the edit of a patch that changes the manifest of an environment as the given edits do. The rest of the file stays, so that no
 * other environment changes. Returns undefined if an edit does not fit the manifest of the environment.
 */
export function patchEdit(
  root: ManifestNode | undefined,
  environment: ManifestEnvironment,
  edits: readonly ManifestEdit[],
): ManifestEdit | undefined {
  const { name, patch } = environment;
  const { [ENVIRONMENTS]: _, ...base } = fieldsOf(root);
  const wanted = editedBy(edits, valueOfTree(manifestIn(environment, root)));
  if (wanted === undefined) return undefined;
  const value = patchFor(base, wanted, fieldsOf(patch));
  return { kind: 'set', path: [ENVIRONMENTS, name, 'patch'], value };
}

function editedBy(edits: readonly ManifestEdit[], value: unknown): Fields | undefined {
  try {
    const edited = edits.reduce(editedValue, value);
    return isFields(edited) ? edited : undefined;
  } catch (error) {
    if (error instanceof ImpossibleEdit) return undefined;
    throw error;
  }
}

function fieldsOf(node: ManifestNode | undefined): Fields {
  const value = valueOfTree(node);
  return isFields(value) ? value : {};
}
