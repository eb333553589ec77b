import { spawn } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import { parse } from 'yaml';

/* Runs a job of a workflow as the runner of GitHub does: its commands in bash, with the expressions of GitHub's own library. */

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Job {
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly environment?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly 'timeout-minutes'?: number;
  readonly steps: readonly Step[];
}

export interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  readonly defaults: object;
  readonly permissions: Readonly<Record<string, string>>;
  readonly concurrency: { readonly group: string; readonly 'cancel-in-progress': string };
  readonly jobs: Readonly<Record<string, Job>>;
}

/** An object of contexts, such as `secrets`, whose values are texts. */
export type Contexts = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface RanStep {
  readonly name: string;
  readonly code: number;
  readonly output: string;
}

export interface RanJob {
  readonly steps: readonly RanStep[];
  readonly summary: string;
}

export interface Machine {
  /** The clone of the repository. */
  readonly clone: string;
  /** Folder of the runner. */
  readonly folder: string;
  /** The environment of the machine. */
  readonly environment: NodeJS.ProcessEnv;
}

export function parseWorkflowFile(text: string): Workflow {
  return parse(text) as Workflow;
}

/** Runs the steps of the jobs whose conditions hold, until one fails. Actions, such as the checkout, have already run. */
export async function runWorkflow(workflow: Workflow, contexts: Contexts, machine: Machine): Promise<RanJob> {
  const { clone, folder, environment } = machine;
  await mkdir(folder, { recursive: true });
  const [pathFile, summaryFile, temporary] = ['path', 'summary', 'temp'].map((name) => path.join(folder, name));
  await Promise.all([writeFile(String(pathFile), ''), writeFile(String(summaryFile), ''), mkdir(String(temporary))]);
  const runner = { GITHUB_PATH: pathFile, GITHUB_STEP_SUMMARY: summaryFile, RUNNER_TEMP: temporary, CI: 'true' };
  const steps: RanStep[] = [];
  for (const job of Object.values(workflow.jobs)) {
    if (job.if !== undefined && !isTrue(job.if, contexts)) continue;
    const ofJob = { ...filled(workflow.env, contexts), ...filled(job.env, contexts) };
    for (const { name = '', run, if: condition, env } of job.steps) {
      if (run === undefined) continue;
      const variables = { ...ofJob, ...filled(env, contexts) };
      if (condition !== undefined && !isTrue(condition, { ...contexts, env: variables })) continue;
      const added = (await readFile(String(pathFile), 'utf8')).split('\n').filter(Boolean).reverse();
      const PATH = [...added, environment['PATH']].join(path.delimiter);
      const script = path.join(folder, 'script.sh');
      await writeFile(script, filledText(run, contexts));
      const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
        cwd: clone,
        env: { ...environment, ...runner, ...variables, PATH },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const code = await new Promise<number>((resolve) => child.once('close', (end) => resolve(end ?? -1)));
      steps.push({ name, code, output });
      if (code !== 0) break;
    }
  }
  return { steps, summary: await readFile(String(summaryFile), 'utf8') };
}

function filled(env: Readonly<Record<string, string>> = {}, contexts: Contexts): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, text]) => [name, filledText(text, contexts)]));
}

function filledText(text: string, contexts: Contexts): string {
  return text.replaceAll(/\$\{\{(.*?)\}\}/g, (_, expression: string) => evaluated(expression, contexts).coerceString());
}

function isTrue(expression: string, contexts: Contexts): boolean {
  return evaluated(expression, contexts).coerceString() === 'true';
}

/** Evaluates an expression. */
export function evaluated(expression: string, contexts: Contexts): data.ExpressionData {
  const { tokens } = new Lexer(expression).lex();
  const tree = new Parser(tokens, Object.keys(contexts), []).parse();
  const values = Object.entries(contexts).map(([key, members]) => ({
    key,
    value: new data.Dictionary(
      ...Object.entries(members).map(([name, text]) => ({ key: name, value: new data.StringData(text) })),
    ),
  }));
  return new Evaluator(tree, new data.Dictionary(...values)).evaluate();
}
