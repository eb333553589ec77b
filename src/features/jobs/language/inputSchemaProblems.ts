import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Clock } from '../../../client/clock.ts';
import type { Log } from '../../../kit/log.ts';
import { OpenDocuments } from '../../../kit/openDocuments.ts';
import { showProblems, type Problem } from '../../../kit/problems.ts';
import { shown } from '../../../text/shownText.ts';
import { isManifest, languageOf } from '../../manifest/index.ts';
import { hasInputSchema } from '../jobShells.ts';
import { isObject } from '../model/jobInput.ts';
import type { InputSchema, SchemaFiles } from '../model/schema/schemaFiles.ts';
import type { JobSchemas } from './jobSchemas.ts';

/** Delay between a change and its check, in ms. */
const DEBOUNCE_MS = 200;

interface Sources {
  readonly clock: Clock;
  readonly log: Log;
  readonly schemas: JobSchemas;
}

/** Shows in manifests why their input schemas cannot be used. */
export function registerInputSchemaProblems({ clock, log, schemas }: Sources): vscode.Disposable {
  const reads = new OpenDocuments({
    ...{ clock, log, isOwn: isManifest, debounceMs: DEBOUNCE_MS },
    read: async (document) => ({ document, problems: await problemsIn(document, schemas) }),
  });
  reads.readAgain();
  return vscode.Disposable.from(
    reads,
    schemas.onDidChange(() => reads.readAgain(DEBOUNCE_MS)),
    showProblems('cloudCompute.inputSchemas', reads, ({ problems }) => problems),
  );
}

async function problemsIn(document: vscode.TextDocument, schemas: JobSchemas): Promise<readonly Problem[]> {
  if (!hasInputSchema(document)) return [];
  const [{ parseManifestFile }, { locate }] = await Promise.all([
    import('../../manifest/model/text/parse.ts'),
    import('../../manifest/model/text/locate.ts'),
  ]);
  const text = document.getText();
  const { parts } = parseManifestFile(text, languageOf(document.uri));
  const found = await Promise.all(
    parts.map(async ({ root, value }): Promise<readonly Problem[]> => {
      const { name, 'x-local': local } = isObject(value) ? value : {};
      const inputSchema = isObject(local) ? local['inputSchema'] : undefined;
      // The check of the manifest reports values of other types.
      if (!isObject(inputSchema) && (typeof inputSchema !== 'string' || inputSchema === '')) return [];
      const { input, problem } = await schemas.ofManifest({
        ...{ path: document.uri.path, name: typeof name === 'string' ? name : undefined, place: document.uri },
        inputSchema,
      });
      const reason = problem?.message ?? (input && (await reasonAgainst(input, schemas.files)));
      if (reason === undefined) return [];
      const { start, end } = locate(root, text, ['x-local', 'inputSchema']);
      const message = shown`The input schema cannot be used: ${reason}`;
      return [{ start, end, code: 'inputSchema', severity: 'warning', message }];
    }),
  );
  return found.flat();
}

/** Returns why a schema that was read cannot be applied, or can take too long. */
async function reasonAgainst(input: InputSchema, files: SchemaFiles): Promise<string | undefined> {
  const [{ JsonLanguage }, { defaultInput }, { slowPattern }] = await Promise.all([
    import('../model/schema/jsonLanguage.ts'),
    import('../model/sampleInput.ts'),
    import('../model/schema/slowPattern.ts'),
  ]);
  const slow = slowPattern(input.schema);
  if (slow !== undefined) return l10n.t`the pattern “${slow}” can take very long`;
  const checked = await new JsonLanguage({ files }).check(JSON.stringify(defaultInput(input.schema)), [], input);
  return checked.find(({ code }) => code === 'reference' || code === 'stopped')?.message;
}
