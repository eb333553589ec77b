/* Where a picture is in the frame that shows it. Lengths are in CSS pixels, and sizes of pictures in their own pixels. */

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Position in a picture, with parts from 0 to 1 of its width and height. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** `fit` shows the whole picture. A number is the size of a picture's pixel in device pixels. */
export type Zoom = 'fit' | number;

export const ZOOMS: readonly Zoom[] = ['fit', 1, 2, 4, 8, 16];
export const CENTER: Point = { x: 0.5, y: 0.5 };

/** Largest scale of `fit`, because a picture of a few pixels would fill the frame with squares. */
const MAX_FIT_SCALE = 8;

export interface Placement extends Size {
  readonly left: number;
  readonly top: number;
  /** CSS pixels per pixel of the picture. */
  readonly scale: number;
}

/**
 * Returns the place of a picture in its frame.
 *
 * @param center point of the picture in the middle of the frame, if the picture is larger than the frame
 * @param ratio device pixels per CSS pixel
 */
export function placed(picture: Size, frame: Size, { zoom, center, ratio }: View): Placement {
  const scale = scaleOf(picture, frame, zoom, ratio);
  const [width, height] = [picture.width * scale, picture.height * scale];
  return {
    width,
    height,
    scale,
    left: offset(frame.width, width, center.x),
    top: offset(frame.height, height, center.y),
  };
}

export interface View {
  readonly zoom: Zoom;
  readonly center: Point;
  readonly ratio: number;
}

function scaleOf(picture: Size, frame: Size, zoom: Zoom, ratio: number): number {
  if (zoom !== 'fit') return zoom / ratio;
  return Math.min(frame.width / picture.width, frame.height / picture.height, MAX_FIT_SCALE);
}

/** A picture that fits is centered. A larger one covers the frame. */
function offset(frame: number, length: number, center: number): number {
  if (length <= frame) return (frame - length) / 2;
  return Math.min(0, Math.max(frame - length, frame / 2 - center * length));
}

/** Returns the center after the picture moved by a distance. The picture keeps covering the frame. */
export function moved(center: Point, by: Point, picture: Size, frame: Size): Point {
  return {
    x: along(center.x, by.x, picture.width, frame.width),
    y: along(center.y, by.y, picture.height, frame.height),
  };
}

function along(center: number, by: number, length: number, frame: number): number {
  const margin = length <= frame ? 0.5 : frame / 2 / length;
  return Math.min(1 - margin, Math.max(margin, Math.min(1 - margin, Math.max(margin, center)) - by / length));
}

/** Returns the next larger or smaller zoom. */
export function stepped(zoom: Zoom, step: 1 | -1): Zoom {
  return ZOOMS[Math.min(ZOOMS.length - 1, Math.max(0, ZOOMS.indexOf(zoom) + step))] ?? 'fit';
}

/** Distance that an arrow key moves a picture, as a part of the frame. */
const KEY_STEP = 0.1;

/** Returns how far a key moves the picture. Undefined for other keys. */
export function moveOfKey(key: string, { width, height }: Size): Point | undefined {
  switch (key) {
    case 'ArrowLeft':
      return { x: width * KEY_STEP, y: 0 };
    case 'ArrowRight':
      return { x: -width * KEY_STEP, y: 0 };
    case 'ArrowUp':
      return { x: 0, y: height * KEY_STEP };
    case 'ArrowDown':
      return { x: 0, y: -height * KEY_STEP };
    default:
      return undefined;
  }
}

/** Returns the zoom of a key. Undefined for other keys. */
export function zoomOfKey(key: string, zoom: Zoom): Zoom | undefined {
  if (key === '+' || key === '=') return stepped(zoom, 1);
  if (key === '-') return stepped(zoom, -1);
  if (key === '0') return 'fit';
  return key === '1' ? 1 : undefined;
}
