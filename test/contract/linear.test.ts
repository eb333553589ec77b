import * as z from 'zod';
import { parseArgs } from '../../src/contract/containerCommand.ts';
import { compareCudaVersions } from '../../src/contract/catalogRules.ts';
import { CreateEndpointBody } from '../../src/contract/endpoint.ts';
import { checkCreateEndpoint } from '../../src/contract/endpointRules.ts';
import { parseFieldError } from '../../src/contract/fieldError.ts';
import { CudaVersion } from '../../src/contract/schema.ts';
import { checkShape } from '../../src/contract/shapeCheck.ts';
import { splitShellWords } from '../../src/contract/shellWords.ts';
import { parseWorkerError } from '../../src/contract/workerError.ts';
import { assertLinear, UP_TO_1_MIB } from '../support/growth.ts';

/* Worst-case text of one mebibyte for each parser that the editor and the platform share. */

const tolerant = (parse: (text: string) => unknown) => (text: string) => {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
};

const parsers: Readonly<
  Record<string, { parse: (text: string) => unknown; worst: readonly [string, string, string][] }>
> = {
  'a command line': {
    parse: tolerant(splitShellWords),
    worst: [
      ['', 'a', ''],
      ['', 'a ', ''],
      ['', "'", ''],
      ['', '"', ''],
      ['"', '\\"', ''],
      ['', '\\\n', ''],
      ['', "''", 'a'],
    ],
  },
  args: {
    parse: tolerant(parseArgs),
    worst: [
      ['{', '[', ''],
      ['', ' ', 'a'],
      ['{"cmd":[', '"a",', '"a"]}'],
    ],
  },
  'an entry of errors': {
    parse: parseFieldError,
    worst: [
      ['$', '.a', ''],
      ['$', '.a', ': x'],
      ['$', '[1]', '!'],
      ['$.', 'a', ''],
      ['$', '.a: ', ''],
    ],
  },
  'a CUDA version': {
    parse: (text) => [CudaVersion.safeParse(text), compareCudaVersions(text, text)],
    worst: [
      ['', '1', ''],
      ['', '1.', ''],
      ['', '.', ''],
    ],
  },
  'the error of a worker': {
    parse: parseWorkerError,
    worst: [
      ['handler: ', '\n', ''],
      ['handler: ', '\n ', 'traceback:'],
      ['handler: ', '\n traceback', ''],
    ],
  },
};

for (const [name, { parse, worst }] of Object.entries(parsers)) {
  describe(`parses ${name} in linear time`, () => {
    for (const [head, body, tail] of worst)
      it(JSON.stringify(`${head}${body}…${tail}`), () => {
        assertLinear(UP_TO_1_MIB, (size) => head + body.repeat(size / body.length) + tail, parse);
      });
  });
}

describe('checks the rules of an endpoint in linear time', () => {
  const sizes = [1_000, 4_000, 16_000];
  it('with many CPU configurations', () => {
    const draft = (count: number) => ({
      cpu: Array.from({ length: count }, (_, id) => ({ id: `cpu${id}`, vcpuCount: 2 })),
    });
    assertLinear(sizes, draft, (body) => checkCreateEndpoint(body as never));
  });

  it('with many values below their bounds', () => {
    const Values = z.object({ values: z.array(z.string().min(1)) });
    const body = (count: number) => ({ values: Array.from({ length: count }, () => '') });
    assertLinear(sizes, body, (value) => checkShape(Values, value));
  });

  it('with many unknown fields', () => {
    const body = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));
    assertLinear(sizes, body, (value) => CreateEndpointBody.safeParse(value));
  });
});
