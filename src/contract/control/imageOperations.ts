import { CONTROL_PATH } from '../launch/localPlatform.ts';
import { operation } from '../operation.ts';
import { EngineState, Health, PlatformImageList, PullEvent, PullImageBody } from './controlImages.ts';

const engine = {
  address: 'baseUrl',
  errorFormat: 'problem',
  invalid: 422,
  tag: 'Engine',
} as const;

/** Operations of the control API for the engine that runs images, and for its images. */
export const controlImageOperations = {
  getEngine: operation({
    ...engine,
    method: 'GET',
    path: `${CONTROL_PATH}/engine`,
    summary: 'Get the engine that runs the images of endpoints, whether it responds, and the GPUs of this machine',
    success: { status: 200, body: EngineState },
    errors: [],
  }),
  listImages: operation({
    ...engine,
    method: 'GET',
    path: `${CONTROL_PATH}/images`,
    summary: 'List the images on the engine that this platform pulled or that its endpoints run, with their sizes',
    success: { status: 200, body: PlatformImageList },
    errors: [503],
  }),
  pullImage: operation({
    ...engine,
    method: 'POST',
    path: `${CONTROL_PATH}/images/pull`,
    summary: 'Pull an image, and report the progress as events; closing the stream cancels the pull',
    body: PullImageBody,
    success: { status: 200, body: PullEvent, events: true },
    errors: [404, 422],
  }),
  removeImage: operation({
    ...engine,
    method: 'DELETE',
    path: `${CONTROL_PATH}/images/{id}`,
    summary: 'Remove an image that this platform pulled from the engine',
    success: { status: 204 },
    errors: [404, 409, 503],
  }),
  getHealth: operation({
    ...engine,
    tag: 'Health',
    method: 'GET',
    path: `${CONTROL_PATH}/health`,
    summary: 'Check that the platform accepts requests; requires no key',
    success: { status: 200, body: Health },
    errors: [],
  }),
} as const;
