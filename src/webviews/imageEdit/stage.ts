import type { Model } from './model.ts';
import { moved, placed, type Point, type Size } from './viewport.ts';

/*
 * Places the pictures of all stages. The policy of the page forbids style attributes in the markup, so the properties are set on the
 * elements.
 */

/** Largest difference of two aspect ratios that count as equal. */
const EQUAL_RATIO = 0.01;

/** Places each picture in its stage, and the divider. */
export function placePictures(root: ParentNode, { zoom, center, divider }: Model): void {
  const ratio = devicePixelRatio;
  for (const stage of root.querySelectorAll<HTMLElement>('.stage')) {
    const frame = frameOf(stage);
    const images = [...stage.querySelectorAll('img')];
    const after = images.at(-1);
    for (const image of images) {
      const size = sizeOf(image);
      const reference = after && isSameShape(size, sizeOf(after)) ? sizeOf(after) : size;
      const { width, height, left, top } = placed(reference, frame, { zoom, center, ratio });
      const { style } = image;
      style.width = `${width}px`;
      style.height = `${height}px`;
      style.transform = `translate(${left}px, ${top}px)`;
      image.classList.toggle('pixels', width * ratio > size.width);
    }
    stage.classList.toggle('movable', zoom !== 'fit');
    const clipped = stage.querySelector<HTMLElement>('.clipped');
    if (clipped) clipped.style.clipPath = `inset(0 0 0 ${divider}%)`;
    const line = stage.querySelector<HTMLElement>('.divider');
    if (line) line.style.left = `${divider}%`;
  }
}

/** Returns the center after the pictures of a stage moved by a distance in CSS pixels. */
export function centerAfter(stage: HTMLElement, { zoom, center }: Model, by: Point): Point {
  const image = [...stage.querySelectorAll('img')].at(-1);
  if (!image) return center;
  const frame = frameOf(stage);
  const { width, height } = placed(sizeOf(image), frame, { zoom, center, ratio: devicePixelRatio });
  return moved(center, by, { width, height }, frame);
}

export function frameOf({ clientWidth: width, clientHeight: height }: HTMLElement): Size {
  return { width, height };
}

function sizeOf({ dataset }: HTMLElement): Size {
  return { width: Number(dataset['width']), height: Number(dataset['height']) };
}

function isSameShape(one: Size, other: Size): boolean {
  return Math.abs((one.width * other.height) / (one.height * other.width) - 1) < EQUAL_RATIO;
}
