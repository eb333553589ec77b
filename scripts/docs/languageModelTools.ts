import * as z from 'zod';
import type { PackageTexts } from '../l10n/packageTexts.ts';
import type { AgentTool } from '../../src/agents/actions/agentTool.ts';

/** Prefix of the keys of the texts of tools. */
export const TOOL_TEXTS = 'tool.';

/** Returns the contribution `languageModelTools` of package.json. */
export function languageModelTools(tools: readonly AgentTool[]): readonly object[] {
  return tools.map(({ name, description, icon, input, effect }) => ({
    name: `cloudCompute_${name}`,
    toolReferenceName: referenceName(name),
    displayName: `%${textKeys(name).title}%`,
    userDescription: `%${textKeys(name).summary}%`,
    modelDescription: description,
    canBeReferencedInPrompt: true,
    icon: `$(${icon})`,
    when: 'isWorkspaceTrusted',
    tags: ['cloud-compute', `cloud-compute-${effect}`],
    inputSchema: inputSchema(input),
  }));
}

/** Returns the texts that a person sees, by the keys that the contribution refers to. */
export function languageModelToolTexts(tools: readonly AgentTool[]): PackageTexts {
  return Object.fromEntries(
    tools.flatMap(({ name, title, summary }) => [
      [textKeys(name).title, title],
      [textKeys(name).summary, summary],
    ]),
  );
}

function textKeys(name: string): { readonly title: string; readonly summary: string } {
  return { title: `${TOOL_TEXTS}${name}.displayName`, summary: `${TOOL_TEXTS}${name}.userDescription` };
}

/** Returns the name with which a person refers to a tool in a prompt, such as `cloudComputeRunJob`. */
function referenceName(name: string): string {
  return `cloud_compute_${name}`.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the JSON schema of arguments, in the dialect that all hosts of tools accept. */
function inputSchema(input: z.ZodObject): object {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { target: 'draft-7', io: 'input' });
  return schema;
}
