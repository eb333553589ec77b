import * as z from 'zod';
import { JobFile, jobFileJsonSchema } from '../../src/contract/jobFile.ts';
import { Manifest, manifestJsonSchema } from '../../src/contract/manifest.ts';

/*
 * Texts of the contract that the editor looks up by their English form. Texts with values are not included: they are templates with the
 * tag `words` in src/contract.
 */

/** Returns the titles and descriptions of the fields of manifests and job files, and the messages of their formats. Sorted, each once. */
export function contractTexts(): string[] {
  const schemas = [manifestJsonSchema(), jobFileJsonSchema()];
  return [...new Set([...schemas.flatMap(labels), ...[Manifest, JobFile].flatMap(formatMessages)])].sort();
}

function labels(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    (name === 'title' || name === 'description') && typeof member === 'string' ? [member] : labels(member),
  );
}

/** Collects the messages that the schemas of strings define for their formats. */
function formatMessages(schema: z.ZodType): string[] {
  const messages: string[] = [];
  const collect = ({ error }: z.core.$ZodCheckDef | z.core.$ZodTypeDef): void => {
    // The messages are constant, so the issue does not matter.
    const message = error?.({} as never);
    if (typeof message === 'string') messages.push(message);
  };
  z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema }) => {
      const { def } = zodSchema._zod;
      if ('format' in def) collect(def);
      for (const check of def.checks ?? []) if (check._zod.def.check === 'string_format') collect(check._zod.def);
    },
  });
  return messages;
}
