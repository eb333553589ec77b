import * as l10n from '@vscode/l10n';
import { ApiError } from '../../../client/apiError.ts';
import { logLines, plainLine, readWorkerLogSince } from '../../jobs/actions/workerLogSince.ts';
import { lineAndColumn } from '../../jobs/model/jobInput.ts';
import { mismatchText, pathText } from '../../jobs/model/expectations/mismatch.ts';
import type { Difference, RequestVerifier } from '../../manifest/model/deployment/verificationTest.ts';
import type { ResponseExpectation } from '../model/expectation.ts';
import type { HttpFile, ParsedBlock } from '../model/httpFile.ts';
import { parseHttpFile } from '../model/parseHttpFile.ts';
import { resolveRequest } from '../model/resolveRequest.ts';
import type { RequestFiles } from './requestBody.ts';
import { sendTest } from './testRequest.ts';

interface Sources {
  /** Reads the text of a request file. @throws Error */
  readonly readText: (uri: string) => Promise<string>;
  /** Returns the files that the requests of a file refer to. */
  readonly filesBeside: (uri: string) => RequestFiles;
}

/** Returns the requests that verify deployments. Those with expectations are sent in the order of their file. */
export function requestVerifier({ readText, filesBeside }: Sources): RequestVerifier {
  return {
    read: async (uri, endpoint) => {
      let text: string;
      try {
        text = await readText(uri);
      } catch (error) {
        return { problem: (error as Error).message };
      }
      const problem = problemIn(text, endpoint);
      return problem === undefined ? { text } : { problem };
    },
    run: async (client, endpoint, { text, uri, limitMs, endsAt }, signal) => {
      const { clock } = client.context;
      const since = clock.now();
      const file = parseHttpFile(text);
      const files = filesBeside(uri);
      const differences: Difference[] = [];
      const workerIds = new Set<string>();
      const failedIds = new Set<string>();
      let requests = 0;
      for (const block of testsOf(file)) {
        const test = { file, block, expect: block.expect, files, defaultEndpoint: endpoint.name };
        try {
          const sent = { endpoints: [endpoint], endpoint, limitMs, endsAt, signal };
          const { mismatches, head } = await sendTest(client, test, sent);
          const found = mismatches.map((one): Difference => ({
            path: plainLine(`${nameOf(block)}: ${pathText(one.path)}`),
            message: plainLine(mismatchText(one)),
          }));
          differences.push(...found);
          if (head) requests++;
          if (head?.workerId !== undefined) {
            workerIds.add(head.workerId);
            if (found.length > 0) failedIds.add(head.workerId);
          }
          // The clock can show a time before the end.
          if (mismatches.some(({ code }) => code === 'noResponse')) break;
        } catch (error) {
          signal.throwIfAborted();
          if (error instanceof ApiError) throw error;
          differences.push({ path: plainLine(nameOf(block)), message: plainLine((error as Error).message) });
        }
        if (clock.now() >= endsAt) break;
      }
      const [workerId] = failedIds;
      const log =
        workerId === undefined
          ? []
          : await readWorkerLogSince(client, { endpointId: endpoint.id, workerId, since, signal });
      return { requests, workerIds: [...workerIds], differences, log: logLines(log) };
    },
  };
}

type TestBlock = ParsedBlock & { readonly expect: ResponseExpectation };

function testsOf({ blocks }: HttpFile): readonly TestBlock[] {
  return blocks.flatMap((block) => (block.expect ? [{ ...block, expect: block.expect }] : []));
}

const nameOf = ({ name, method, url }: ParsedBlock): string => name ?? `${method} ${url}`;

/** Returns the first problem of the requests with expectations, which must be requests to the endpoint. */
function problemIn(text: string, endpoint: string): string | undefined {
  const file = parseHttpFile(text);
  const at = ({ start, message }: { readonly start: number; readonly message: string }): string => {
    const { line, column } = lineAndColumn(text, start);
    return l10n.t`line ${line}, column ${column}: ${message}`;
  };
  const invalid = file.problems.find(({ code }) => code === 'invalidExpectation' || code === 'tooLarge');
  if (invalid) return at(invalid);
  const tests = testsOf(file);
  if (tests.length === 0) return l10n.t('no request has an expectation, such as # @expect status 200');
  // The endpoint may not exist yet, so it has no address.
  const named = { id: endpoint, name: endpoint, type: 'LOAD_BALANCER', base: 'http://endpoint.invalid' } as const;
  const context = { endpoints: [named], defaultEndpoint: endpoint, now: 0, random: () => 0 };
  for (const block of tests) {
    const { start } = block.requestLine;
    if (block.method === 'WEBSOCKET') return at({ start, message: l10n.t('a WebSocket cannot have expectations') });
    const { request, problems } = resolveRequest(file, block, context);
    if (!request) return at(problems[0]);
  }
  return undefined;
}
