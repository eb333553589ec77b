import * as z from 'zod';
import { EnvironmentRequest, ProcessText } from './environment.ts';
import { isRepository } from './imageReference.ts';
import { schemaRule } from './schemaRule.ts';

export const BUILD_DEFAULTS = { context: '.', dockerfile: 'Dockerfile', platform: 'linux/amd64' } as const;

/** How the image of an endpoint is built. */
export const BuildPart = z
  .strictObject({
    context: ProcessText.min(1)
      .optional()
      .meta({
        description:
          'Folder with the files of the image, relative to the manifest. Default: the folder of the manifest.',
        examples: ['hello'],
      }),
    dockerfile: ProcessText.min(1)
      .optional()
      .meta({
        description: 'Path of the Dockerfile, relative to context. Default: Dockerfile.',
        examples: ['Dockerfile'],
      }),
    target: ProcessText.min(1)
      .optional()
      .meta({ description: 'Stage of the Dockerfile to build. Default: the last one.', examples: ['worker'] }),
    args: EnvironmentRequest.optional().meta({
      description:
        'Values of the ARG instructions. The image contains them, so they must not be secrets. References have no effect. Default: none.',
      examples: [{ PYTHON_VERSION: '3.12' }],
    }),
    repository: ProcessText.refine(isRepository, schemaRule('notARepository', {}))
      .optional()
      .meta({
        description:
          'Repository that Build and Push Image pushes to, without a tag. Default: the image stays on this machine.',
        examples: ['registry.example.com/team/hello'],
      }),
    platform: z
      .enum(['linux/amd64', 'linux/arm64'])
      .optional()
      .meta({
        description: 'Operating system and processor of the workers. Default: linux/amd64.',
        examples: ['linux/amd64'],
        default: BUILD_DEFAULTS.platform,
      }),
  })
  .meta({
    description:
      'Builds the image with Docker or Podman from a Dockerfile. Build Image sets image. Not sent to any platform. Default: none.',
    examples: [{ context: 'hello', repository: 'registry.example.com/team/hello' }],
  });
export type BuildPart = z.infer<typeof BuildPart>;
