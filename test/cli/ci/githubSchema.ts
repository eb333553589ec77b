import { build } from 'esbuild';
import type { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser';
import { repository } from '../../platform/support.ts';

interface WorkflowParser {
  readonly parseWorkflow: typeof parseWorkflow;
  readonly NoOperationTraceWriter: typeof NoOperationTraceWriter;
}

let parser: Promise<WorkflowParser> | undefined;

/** Returns what GitHub's parser, which contains its schema, says about a workflow. */
export async function errorsOfWorkflow(text: string): Promise<readonly string[]> {
  const { parseWorkflow: read, NoOperationTraceWriter: Trace } = await (parser ??= loadParser());
  const { context } = read({ name: 'workflow.yml', content: text }, new Trace());
  return context.errors.getErrors().map(({ message }) => message);
}

/** Bundles the parser, because it imports its JSON files in a way that only bundlers accept. */
async function loadParser(): Promise<WorkflowParser> {
  const { outputFiles } = await build({
    stdin: { contents: "export * from '@actions/workflow-parser';", resolveDir: repository },
    ...{ bundle: true, format: 'esm', platform: 'browser', write: false },
  });
  return (await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? []).toString('base64')}`
  )) as WorkflowParser;
}
