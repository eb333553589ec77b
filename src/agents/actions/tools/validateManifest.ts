import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { readHardware } from '../../../account/liveValues/readHardware.ts';
import { applyChanges } from '../../../features/manifest/model/editing/textChanges.ts';
import { fixAll } from '../../../features/manifest/model/fixes/fixAll.ts';
import { fixesOf } from '../../../features/manifest/model/fixes/fixesOf.ts';
import {
  readManifestFile,
  type CheckOptions,
  type ManifestFile,
} from '../../../features/manifest/model/manifestFile.ts';
import type { ManifestProblem } from '../../../features/manifest/model/problem.ts';
import { hasReference } from '../../../account/secrets/envReferences.ts';
import { secretValues } from '../../../text/keyPatterns.ts';
import { isObject, lineAndColumn } from '../../../features/jobs/model/jobInput.ts';
import { formatPath } from '../../../contract/violation.ts';
import { valueOfTree } from '../../../features/manifest/model/text/node.ts';
import { readTool, type CallContext } from '../agentTool.ts';
import { readManifestInput, targetOf } from '../readManifestInput.ts';
import { manifestFields } from './fields.ts';

const { file, text } = manifestFields;

export const validateManifest = readTool({
  name: 'validate_manifest',
  title: 'Validate Manifest',
  summary: 'Checks a manifest of an endpoint, and returns the problems with their fixes.',
  icon: 'checklist',
  description:
    'Checks an endpoint manifest (*.endpoint.yaml or *.endpoint.json) of the workspace, or a text, with the rules of the platform and, if connected, the catalog of its hardware. ' +
    'Returns each problem with its line, column, severity, and possible fixes, and the text in which all preferred fixes are applied. ' +
    'Call it after each change of a manifest, and before deploy_endpoint. Changes nothing and costs nothing.',
  input: z.strictObject({ file, text }),
  commands: ['cloudCompute.manifest.createEndpoint'],
  progress: ({ file: name }) => l10n.t`Checking ${name === undefined ? l10n.t('a manifest') : `“${name}”`}`,
  read: async (input, context) => {
    const given = await readManifestInput(context, input);
    const options: CheckOptions = { target: targetOf(context), catalog: await hardwareOf(context) };
    const checked = readManifestFile(given.text, { language: given.language, ...options });
    const fixed = fixAll(checked, options);
    const keys = keysIn(checked);
    context.hide(keys);
    return {
      manifest: given.name,
      valid: checked.parts.length > 0 && checked.problems.every(({ severity }) => severity !== 'error'),
      checkedFor: options.target === 'local' ? 'the local platform' : 'a hosted platform',
      hardwareChecked: options.catalog !== undefined,
      endpoints: checked.parts.map(({ manifest, index, environments }) => ({
        part: index,
        name: manifest?.name,
        type: manifest?.type,
        ...(environments.length > 0 && {
          environments: environments.map(({ name, connection, production }) => ({ name, connection, production })),
        }),
      })),
      problems: checked.problems.map((problem) => problemWords(checked, problem)),
      // A text with hidden keys would destroy the file that it replaces.
      ...(keys.length > 0
        ? { warning: 'env contains keys. Use ${secret:NAME} instead. Results do not contain them.' }
        : fixed.length > 0 && { textWithPreferredFixes: applyChanges(given.text, fixed) }),
    };
  },
});

function problemWords(checked: ManifestFile, problem: ManifestProblem): object {
  const { severity, code, message, violation, start, end, part } = problem;
  const fixes = fixesOf(checked, problem).map(({ title, isPreferred }) => ({ title, isPreferred }));
  return {
    ...{ severity, code, message },
    ...(violation && { path: formatPath(violation.path) }),
    ...lineAndColumn(checked.text, start),
    text: checked.text.slice(start, Math.min(end, start + 200)),
    ...(checked.parts.length > 1 && { part }),
    ...(fixes.length > 0 && { fixes }),
  };
}

/** Returns the hardware of the current platform. Undefined without a connection, or if it cannot be read. */
async function hardwareOf(context: CallContext): Promise<CheckOptions['catalog']> {
  const { signal } = context;
  try {
    const { client } = context.connection();
    return (await readHardware(client, signal))?.catalog;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** Returns the keys that a manifest contains, with errors or not. */
function keysIn({ parts }: ManifestFile): readonly string[] {
  return parts.flatMap(({ value, environments }) => {
    const values = [value, ...environments.map(({ patch }) => valueOfTree(patch))];
    const env = values.flatMap((one) => (isObject(one) && isObject(one['env']) ? Object.entries(one['env']) : []));
    const texts = env.filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string' && !hasReference(entry[1]),
    );
    return texts.flatMap(([name, text]) => secretValues({ [name]: text }));
  });
}
