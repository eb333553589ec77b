import * as z from 'zod';
import { MAX_COMMAND_WORDS, MAX_DISK_GB, MAX_LISTED, MAX_PORT } from './bounds.ts';
import { EnvironmentRequest, ProcessText } from './environment.ts';
import { fieldFacts } from './fieldFacts.ts';
import { schemaRule } from './schemaRule.ts';

/* Container settings of endpoints and templates. */

const isPort = (port: number): boolean => port >= 1 && port <= MAX_PORT;

const Words = z.array(ProcessText).max(MAX_COMMAND_WORDS);

/** Container settings that endpoints and templates share. */
export const containerFields = {
  image: ProcessText.min(1)
    .optional()
    .meta({ description: 'Reference of the container image.', examples: ['registry.example.com/hello:1.0'] }),
  args: ProcessText.optional().meta({
    description:
      'Command of the container as one string: shell words for CMD, or a JSON object {"entrypoint": […], "cmd": […]}. "" clears it. ' +
      'Default: the command of the image.',
    examples: ['python -u handler.py'],
  }),
  disk: z
    .int()
    .min(1)
    .max(MAX_DISK_GB)
    .optional()
    .meta({
      description:
        'Size of the container disk in GB. A restart erases it. Default: the size that the platform chooses.',
      examples: [20],
    })
    .register(fieldFacts, { unit: 'GB', costs: true }),
  env: EnvironmentRequest.optional()
    .meta({ description: 'Environment variables of the workers. Default: none.', examples: [{ LOG_LEVEL: 'info' }] })
    .register(fieldFacts, { holdsVariables: true }),
  ports: z
    .array(
      z
        .string()
        .regex(/^\d{1,5}\/[a-z]+$/, { error: 'must be port/protocol, such as 8000/http', abort: true })
        .refine((port) => isPort(parseInt(port)), schemaRule('portOutOfRange', { maximum: MAX_PORT })),
    )
    .max(MAX_LISTED)
    .optional()
    .meta({ description: 'Exposed ports, each as port/protocol. Default: none.', examples: [['8000/http']] }),
  registry: z
    .string()
    .nullable()
    .optional()
    .meta({
      description: 'ID of the container registry credential for a private image. null: no credential. Default: null.',
      examples: ['clx8h2k3f0001l708a9b2c3d4'],
    })
    .register(fieldFacts, { refersTo: 'registry' }),
};

/** Command in exec form. Templates do not have these fields. */
export const commandFields = {
  cmd: Words.optional().meta({
    description:
      'CMD of the container in exec form. With args, it must be the same command. [] clears it. Default: the CMD of the image.',
    examples: [['python', '-u', 'handler.py']],
  }),
  entrypoint: Words.optional().meta({
    description:
      'ENTRYPOINT of the container in exec form. With args, it must be the same command. [] clears it. Default: the ENTRYPOINT of the image.',
    examples: [['/usr/bin/tini', '--']],
  }),
};
